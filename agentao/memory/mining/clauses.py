"""Paragraphs to statements: sentences, the entries of a list, or a numbered process as one piece.

Statements know what stands around them: the heading over a list, a task asked for just before. A sentence ends at its
stop, never inside a number, an address, a file name or quoted words (the blanked text has no stops there).
"""

# ruff: noqa: E501 - a pattern is one line, so that a rule can be read as one row
from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Literal

from agentao.memory.mining import text as mining_text
from agentao.memory.mining.reading import Line, Paragraph

Heading = Literal["none", "rules", "choices", "tastes", "process", "tasks"]

STATEMENT_MAX_CHARS = 500
"""A longer sentence is no statement but a text."""
PROCESS_MAX_CHARS = 1_500


@dataclass(slots=True)
class Statement:
    """One sentence or entry: the user's words, the form for the rules, and what stands over or before it."""

    text: str
    matching: str
    heading: Heading = "none"
    is_entry: bool = False
    is_process: bool = False
    starts_paragraph: bool = False


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    return {name: re.compile(pattern, re.ASCII) for name, pattern in _PATTERNS.items()}


_PATTERNS = {
    "stop": r"[。！？!?]+[\"')）」』】]*|\.+(?=[\s\"')）]|$|[\u4e00-\u9fff])[\"')）]*|…+|(?<=[^\x00-\x7f])\.(?=\S)|\n",
    "abbreviation": r"(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|fig|mr|mrs|dr|st|inc|ltd|max|min|resp|incl|esp|ca)|(?:^|\n) ?\d{1,2}|\b[a-z])\.$",
    "inline_item": r"(?:(?<=[\s：:，,;；。、])|^)(?:[(（]?([1-9])[.)、）](?!\d)|([①-⑨]))\s*",
    "wrapped": r"[a-z,(\u4e00-\u9fff，、]",
    "names_list": r"\s*(?:that's|that is|this is|these are|those are|such is) (?:our|the|my|how we|fixed|house)\b|\s*(?:这|以上)(?:就)?(?:是|些是|几条是)(?:我们|组里|团队|项目|规矩|约定|规范|发版|上线)",
    "process_heading": (
        r"\b(?:process|procedure|workflow|flow|routine|runbook|playbook|checklist|cycle|steps|pipeline|how (?:we|i|to) \w+|branching|release|deploy\w*|hotfix|rollback|onboarding|way (?:we|i))\b"
        r"|流程|步骤|做法|顺序|规程|怎么(?:发|上|做)的|sop|套路|环节"
    ),
    "process_not": (
        r"\b(?:reproduce|repro|i (?:did|took|tried|ran|followed)|tried|plan|todo|fix|bug|please|can you|following steps|do the|try|you proposed|task|install(?:ation)?|for this|this (?:pr|task|ticket)|needs?|build me|add|implement|user flow|login flow|checkout flow|sign-?up flow|next steps|remaining)\b"
        r"|复现|重现|报错|尝试|试过|帮我|实现|计划|任务|注册流程|登录流程|下单流程|支付流程|用户流程|接下来|下一步|这次|本次|设计|画"
    ),
    "rules_heading": (
        r"\b(?:rules?|conventions?|guidelines?|principles?|agreements?|polic(?:y|ies)|standards?|constraints?|non-negotiables?|ground rules|house style|norms?|limits|invariants|always|never|from now on|going forward|remember|keep in mind|things to (?:know|remember)|bear in mind|for (?:all )?future|no-?gos?|dos and don'ts|(?:code |coding )?style|coding standards?|do's and don'ts|working agreements?|red lines|musts?)\b"
        r"|规则|规矩|约定|记(?:一下|两条|几条|一条|三条)|规范|惯例|原则|约束|限制|红线|底线|铁律|守则|准则|以后|今后|记住|切记|注意(?:事项|几点|以下)|硬性要求|硬要求|长期要求|不成文|禁忌|雷区|强调(?:几点|一下)|约法"
    ),
    "choices_heading": (
        r"\b(?:decisions?|decided|agreed|agreement|settled|chosen|choices|stack|tech stack|we (?:use|went with|chose|picked)|outcome|conclusions?|resolutions?)\b"
        r"|决定|结论|定了|定下来|拍板|选型|敲定|决议|共识|技术栈|说好|confirm"
    ),
    "tastes_heading": (
        r"\b(?:my (?:\w+ )?(?:preferences?|habits?|setup|set-up|environment|style|tastes?|quirks)|how i (?:like|work|want)|(?:things )?i (?:like|prefer|hate|dislike)|about me|what i (?:like|prefer|want))\b"
        r"|我的(?:\S{0,4})?(?:习惯|偏好|喜好|口味|环境|情况|风格)|我喜欢|我偏好|我讨厌|个人(?:习惯|偏好)"
    ),
    "tasks_heading": (
        r"\b(?:todos?|to-do|tasks?|please|acceptance|criteria|requirements?|definition of done|dod|this (?:pr|task|ticket|time|sprint|release|feature|commit)|for now|fix|changes|issues|bugs|do (?:the following|these|this)|following|next|need(?:s|ed)?|implement|build|make|update|add|write|user stor|features?|feedback|comments|questions|options|ideas|proposal|their|another|they|he|she|other (?:team|repo|project)|draft|example|sample|tried|plan)\b"
        r"|待办|任务|验收|需求|这次|本次|帮我|帮忙|麻烦|请|修改|改动|如下修改|问题|功能点|要做的|bug|反馈|意见|方案|选项|他们|别的|别人|其他|网上|示例|例子|计划|改一下|做一下|处理一下|今天|先把"
    ),
    "afterthought": (
        r"(?:and )?(?:always|ever|never|every time|everywhere|anywhere|period|full stop|no exceptions?|without exceptions?|no discussion|no ifs,? no buts|that(?:'s| is) (?:the|our|a|my) (?:\w+ )?(?:rule|policy|convention|law|standard|habit|way)(?: here)?|(?:the )?same every \w+|every \w+ the same|none,? ever[^.]{0,40}|not even [^.]{1,60}|in general|for good|as a rule|from now on|each time|non-negotiable|this is final|that(?:'s| is) final|(?:we|i)(?:'ve| have)? (?:decided|agreed|settled)(?: on)? (?:that|this|it)\b[^.]{0,40}|(?:that|this|it)(?:'s| is| was| has been| got)? (?:been )?(?:decided|agreed|settled|approved|fixed|final)\b[^.]{0,40}|(?:decided|agreed|settled|final|done deal)(?:,[^.]{0,40})?|end of story|end of discussion|hard rule|house rule)[.! ]*"
        r"|(?:一直|永远|以后都|以后也|都)?(?:这样|如此)[。！!]*|(?:没有|绝无)例外[。！!]*|(?:这|那)?是?(?:规矩|铁律|红线|硬性要求|死规定|底线|惯例|原则)[。！!]*|没得商量[。！!]*|长期有效[。！!]*|切记[。！!]*"
    ),
    "second_thought": r"(?:no,? wait|wait,? no|actually,? no|hmm+,? no|on second thoughts?|哦不|等等不对|不对，|算了，(?!我们|还是))\b",
    "takes_back": (
        r"(?i:(?:(?:actually|no|hmm+|wait|sorry|oh|ok|never ?mind|on second thought|算了|哦不|等等|不对|额)[,.， ]+)*(?:scratch that|forget (?:that|it|i said that|what i (?:just )?said)|ignore that|i take that back|disregard that|strike that|never ?mind that"
        r"|(?:刚才?|上面|前面)?(?:那|说)?的?(?:句|条|话)?(?:作废|当我没说|收回|不算数?))(?![a-z])[^,，]{0,24}[.!。！]*)"
    ),
    "elaborates": r"\s*(?:that|this|it|same|these|those|which) (?:is|was|are|applies|goes|means|holds|includes|counts|every|each|also|makes|keeps|saves|breaks|helps|will|would|way)\b|\s*(?:same|ditto)\b|\s*(?:leave|keep|skip|put) (?:them|it|those|that) |\s*(?:这|那|它|其他|其余|也就是)(?!个项目|个仓库|边)|\s*后面(?:写的)?都按",
    "lead": (
        r"(?i:(?:and|also|btw|by the way|oh|ok|okay|so|well|fyi|hey|nope|no|yes|anyway|again|and again|heads[ -]up|one more thing|another thing|additionally|plus|note|reminder|just so you know|and so you know|so you know)[,:]\s*"
        r"|(?:对了|顺便(?:说一?下|提一?下|说一句)?|另外|还有|补充(?:一点|一下)?|说明一下|提醒一下|备注|话说|哦对了|嗯|好的?|注意)[，,：:]\s*|btw\s+|also\s+(?=i\b|we\b))+"
    ),
}


def takes_back(text: str) -> bool:
    """Whether the text does nothing but withdraw what was said before it."""
    text = text.strip().lower().replace("’", "'")
    return len(text) < 80 and bool(
        _patterns()["takes_back"].fullmatch(text) or _patterns()["second_thought"].match(text)
    )


def elaborates(text: str) -> bool:
    """Whether a sentence only goes on about the one before it (``That applies to …``)."""
    return bool(_patterns()["elaborates"].match(text.lower()))


def own_words(text: str) -> str:
    """The statement without the way into it (``btw,``, ``对了，``) and without a full stop at its end."""
    text = text.strip()
    lead = _patterns()["lead"].match(text)
    if lead and len(text) - lead.end() > 3:
        text = text[lead.end() :]
    text = text.rstrip("。;；,， ")
    return text[:-1] if text.endswith(".") and not text.endswith("..") else text


def statements(found: list[Paragraph]) -> Iterator[Statement]:
    """Every statement of the readable paragraphs, in order."""
    heading_line: Line | None = None
    for paragraph in found:
        lines = [entry for line in paragraph.lines for entry in _unfolded(line)]
        at = 0
        first = True
        while at < len(lines):
            if lines[at].marker_chars:
                end = at
                while end < len(lines) and (lines[end].marker_chars or _continues(lines, end)):
                    end += 1
                heading = heading_line
                if heading is None and end < len(lines) and _patterns()["names_list"].match(lines[end].matching):
                    heading = lines[end]
                yield from _list(heading, lines[at:end])
                heading_line = None
            else:
                end = at
                while end < len(lines) and not lines[end].marker_chars:
                    end += 1
                heading_line = lines[end - 1]
                yield from _prose(lines[at:end], first, heads_list=end < len(lines))
            first = False
            at = end


def _unfolded(line: Line) -> list[Line]:
    """``约定：1. … 2. …`` on one line, as a heading and its entries."""
    if line.marker_chars and line.text.lstrip()[:1] not in "1(（①":
        return [line]
    marks = list(_patterns()["inline_item"].finditer(line.matching))
    numbers = [int(m.group(1)) if m.group(1) else "①②③④⑤⑥⑦⑧⑨".index(m.group(2)) + 1 for m in marks]
    if len(numbers) < 2 or numbers != list(range(1, len(numbers) + 1)):
        return [line]
    cuts = [m.start() for m in marks] + [len(line.text)]
    out = []
    if line.text[: cuts[0]].strip():
        out.append(Line(line.text[: cuts[0]], line.matching[: cuts[0]]))
    for mark, start, end in zip(marks, cuts, cuts[1:], strict=False):
        out.append(Line(line.text[start:end], line.matching[start:end], mark.end() - mark.start()))
    return out


def _continues(lines: list[Line], at: int) -> bool:
    """An indented line below an entry belongs to it."""
    return at > 0 and lines[at].text.startswith("  ") and bool(lines[at - 1].text.strip())


def _prose(lines: list[Line], first: bool, heads_list: bool) -> Iterator[Statement]:
    text = ""
    matching = ""
    for i, line in enumerate(lines):
        joined = i and _wraps(lines[i - 1], line)
        text += (" " if joined else "\n" if i else "") + line.text
        matching += (" " if joined else "\n" if i else "") + line.matching
    for start, end in _whole_sentences(matching):
        if heads_list and end == len(matching) and matching.rstrip().endswith((":", "：")):
            continue
        yield Statement(text[start:end], matching[start:end], starts_paragraph=first)
        first = False


def _wraps(above: Line, below: Line) -> bool:
    return (
        len(above.text) >= 60
        and not re.search(r"[.!?:;。！？：；]\s*$", above.matching)
        and bool(_patterns()["wrapped"].match(below.matching))
    )


def _sentences(matching: str) -> Iterator[tuple[int, int]]:
    """Start and end of each sentence, without white space around it."""
    start = 0
    for stop in _patterns()["stop"].finditer(matching):
        if stop.group().startswith(".") and _patterns()["abbreviation"].search(
            matching[max(0, stop.start() - 8) : stop.start() + 1]
        ):
            continue
        yield from _trimmed(matching, start, stop.end())
        start = stop.end()
    yield from _trimmed(matching, start, len(matching))


def _whole_sentences(matching: str) -> Iterator[tuple[int, int]]:
    """Sentences, with an afterthought (``Always.``, ``没有例外。``) joined to what it is about."""
    held: tuple[int, int] | None = None
    for start, end in _sentences(matching):
        if held and end - held[0] <= STATEMENT_MAX_CHARS and _patterns()["afterthought"].fullmatch(matching[start:end]):
            held = (held[0], end)
            continue
        if held:
            yield held
        held = (start, end)
    if held:
        yield held


def _trimmed(matching: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while start < end and matching[start].isspace():
        start += 1
    while end > start and matching[end - 1].isspace():
        end -= 1
    if end - start > 1 and end - start <= STATEMENT_MAX_CHARS:
        yield start, end


def heading_of(matching: str) -> Heading:
    """What a line over a list promises."""
    patterns = _patterns()
    if patterns["tastes_heading"].search(matching):
        return "tastes"
    if patterns["process_heading"].search(matching) and not patterns["rules_heading"].search(matching):
        return "tasks" if patterns["process_not"].search(matching) else "process"
    if re.search(
        r"\b(?:compare|review (?:this|these|them)|what do you think|translate|summari[sz]e|rules of (?:the|another|a)|this (?:pr|task|ticket|time|feature|commit)|for now|acceptance|their|another|other (?:team|repo))\b|这次|本次|验收|别的|别人|他们|看看|对比|评价|翻译|总结",
        matching,
    ):
        return "tasks"
    if patterns["rules_heading"].search(matching):
        return "choices" if patterns["choices_heading"].search(matching) else "rules"
    if patterns["choices_heading"].search(matching) and not re.search(r"options|which|选项|哪", matching):
        return "choices"
    return "tasks" if patterns["tasks_heading"].search(matching) else "none"


def _list(heading_line: Line | None, entries: list[Line]) -> Iterator[Statement]:
    title = ""
    title_matching = ""
    heading: Heading = "none"
    if heading_line is not None:
        spans = list(_sentences(heading_line.matching))
        if spans:
            start, end = spans[-1]
            title, title_matching = heading_line.text[start:end], heading_line.matching[start:end]
            heading = heading_of(mining_text.corrected(title_matching))
        if _patterns()["names_list"].match(title_matching):
            title = title_matching = ""
    if heading == "process":
        text = "\n".join([*([title] if title else []), *(entry.text.strip() for entry in entries)])
        matching = "\n".join([*([title_matching] if title else []), *(entry.matching.strip() for entry in entries)])
        if len(text) <= PROCESS_MAX_CHARS and len(entries) > 1:
            yield Statement(text, matching, heading, is_process=True)
        return
    if heading == "tasks":
        return
    for entry in entries:
        text, matching = entry.text[entry.marker_chars :], entry.matching[entry.marker_chars :]
        lead = len(text) - len(text.lstrip())
        text, matching = text[lead:].rstrip(), matching[lead:].rstrip()
        if 1 < len(text) <= STATEMENT_MAX_CHARS:
            yield Statement(text, matching, heading, is_entry=True)
