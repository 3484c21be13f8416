"""What of a user message is read: the user's own prose and lists, paragraph by paragraph.

Not read: what the program put in (memory blocks, summaries), code fences, quoted lines, logs, stack traces, diffs,
command output, code, rows of data, chats of others, documents under headings, and whatever the message says was pasted,
is to be translated, edited or summarised.
"""

# ruff: noqa: E501 - a pattern is one line, so that a rule can be read as one row
from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from typing import Literal

from agentao.memory.mining import text as mining_text
from agentao.memory.text import strip_controls, strip_invisible

MESSAGE_MAX_CHARS = 12_000
"""A longer message is a paste with words around it: only its first and last ``EDGE_CHARS`` are read."""
EDGE_CHARS = 3_000
LINE_MAX_CHARS = 1_200
"""A longer line is no statement."""

ROWS_MIN = 10
"""So many lines of one shape, one below the other, are data; nobody writes a list of wishes so evenly."""
SHAPE_SHARE = 0.7
"""So much of the longer of two lines stands in both, at their beginnings and ends: they are of one shape."""

SUMMARY_MARK = "[Conversation Summary]"

Gap = Literal["nothing", "paste", "title"]


@dataclass(slots=True)
class Line:
    """One line of the user's own text; ``marker_chars`` of it are a list marker."""

    text: str
    matching: str
    marker_chars: int = 0


@dataclass(slots=True)
class Paragraph:
    """Lines without a gap between them, and what stood in front that is not read."""

    lines: list[Line] = field(default_factory=list)
    after: Gap = "nothing"


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    return {name: re.compile(pattern, flags) for name, (pattern, flags) in _PATTERNS.items()}


_PATTERNS = {
    "injected": (
        r"<(memory-stable|memory-context|memory|session|fact|system-reminder|system|context|environment_context|instructions)"
        r"(?: [^>\n]{0,200})?>",
        re.I,
    ),
    "fence": (r"\s{0,12}(?:[-*>] )?(`{3,}|~{3,})(.*)", 0),
    "marker": (
        r"\s*(?:[-*•·●▪◦‣+–—] |[(（]?\d{1,2}(?:[.)、．）]|: )\s*(?=\D)|[①-⑳]\s*|[一二三四五六七八九十]{1,2}、|[(（][a-z一二三四五六七八九十][)）]\s*"
        r"|[a-z][.)] |(?:step|rule|第)\s?[\d一二三四五六七八九十]{1,2}\s?[条步点]?[:.：)，,、]\s*|\[[ x]\] )+",
        re.I,
    ),
    "noise": (
        r"\s*(?:"
        r"[>|│┃]"  # quotations, tables
        r"|\[?\d{4}[-/]\d\d[-/]\d\d[ T]\d\d:\d\d|\[\d{1,2}:\d\d(?::\d\d(?:[.,]\d+)?)?\]|\d{1,2}:\d\d:\d\d|\d{1,2}:\d\d ?(?:\S{1,20}[:：]|\[|[A-Z]{4,5}\b)"
        r"|\w{3} {1,2}\d{1,2} \d\d:\d\d:\d\d |\d{10,13}[ .]"
        r"|\[[^\]\n]{1,60}\] ?[\w(/@-]*[:：]|\[\d+/\d+\]|\[\s*\d+(?:\.\d+)?\]"
        r"|\[?(?:ERROR|WARN(?:ING)?|INFO|DEBUG|TRACE|FATAL|FAIL(?:ED)?|PASS(?:ED)?|CRITICAL|NOTICE|OK|SEVERE|HINT|DETAIL|CONTEXT|STATEMENT)\]?[:\s|-]"
        r"|(?:error|warning|warn|fatal|panic|note|info|help|hint|debug|remote)(?:\[\w+\])?: "
        r"|(?:npm|yarn|pnpm) (?:ERR!|WARN|error|warn)|(?:E|W|F) {2,}"
        r"|Traceback \(|Caused by[:：]|During handling of|Exception in thread|goroutine \d"
        r"|File \"|at [\w$.<>/]+ ?\(|at [\w./$-]+:\d+|\.{3} \d+ more|in [\w/.]+:\d+"
        r"|(?:[A-Za-z_][\w.]*)?(?:Error|Exception|Warning|Fault)(?:\[[^\]]*\])?[:：]"
        r"|error TS\d+|[\w./-]+:\d+(?::\d+)?(?::| -)|[A-Z]{2,}\d{2,}:"
        r"|diff --git|index [0-9a-f]{7}|@@ |[-+]{3} [ab/]|[-+] {0,8}[\w\"'.(){}\[\]]+ ?(?:=|:|\()|commit [0-9a-f]{7,}"
        r"|[$#%❯➜] ?(?:\w|\./)[^，。]*$|PS [A-Z]:|>>> |\.\.\. |In \[\d|Out\[\d"
        r"|={4,}|-{4,}|\*{4,}|_{4,}|~{4,}"
        r"|[✓✗✔✘×√❌✅⨯] |(?:✓|✗)|<!--|//|/\*|\*/|\* @|<\/?[a-z][\w-]*[ >/]|<\?xml|#include|#!/|@\w+\("
        r"|(?:const|let|var|function|import|export|def|class|return|public|private|async def|elif|else:|try:|SELECT|INSERT|UPDATE|CREATE TABLE)\b[^，。]*[;{}()=:]\s*$|(?:const|let|var) \w+ ?="
        r"|(?:import|from) [\w.]+(?: import [\w, ]+)?$"
        r"|\"[\w $.-]{1,60}\"\s*:|[{}\[\]()]+[,;]?\s*$|[\w.\[\]-]{1,60} ?=(?!=|>) ?\S+;?\s*$"
        r"|(?:From|To|Subject|Cc|Sent|Date|发件人|收件人|主题|抄送)[:：]"
        r"|on .{4,80} wrote:|.{1,40} (?:wrote|schrieb)[:：]\s*$"
        r"|(?:USER|Assistant|Human|AI|System|ChatGPT|Claude|Bot|assistant|user)[:：]"
        r"|\[(?:Request interrupted|Image|System|Pasted|Attachment|Conversation)"
        r")",
        0,
    ),
    "title": (r"\s{0,3}#{1,6} ", 0),
    "numbered_row": (r"\s*#?\d+[ \t]+\S", 0),
    "run": (r"([^\d\t,;|])\1+", 0),
    # a prompt for a model begins by saying who it is
    "prompt": (
        r"(?:you are|you're) (?:an?|the|my|now)\b[^.\n]{0,60}\b(?:assistant|agent|expert|engineer|developer|bot|ai|model|reviewer|writer|translator|analyst|designer|teacher|tutor|coder|programmer|architect|specialist|consultant|editor|copywriter)\b|act as (?:an?|the|my)\b|your (?:role|job|task) is to\b"
        r"|(?:你(?:现在)?是|请?扮演|作为)(?:一个|一名|一位|个)?[^，,。\n]{0,12}(?:助手|助理|专家|工程师|机器人|ai|模型|翻译|编辑|顾问|老师|程序员|架构师|分析师|写手|客服)",
        re.I,
    ),
    "asks_about_text": (
        r"\b(?:this|their|these|the following|following|attached|below|from (?:the|their|another|a|an)|someone else's|another|other|his|her|its)\b.{0,60}\b(?:guide|guidelines?|handbook|docs?|document|documentation|text|article|mail|e-?mail|notes?|minutes|readme|contributing|policy|policies|thread|chat|letter|draft|post|spec|rfc|page|section|excerpt|transcript|log|output|message|announcement|rules|file|prompt|prompts|paragraph|snippet|manual|charter|statement|ticket|proposal|terms|contract|summary|report|essay|memo|comment|review)\b"
        r"|(?:这(?:份|篇|段|封|些|个|条)?|下面|以下|下述|别人|他们|隔壁|别的|其他|某)[^，。,]{0,12}(?:文档|规范|制度|文章|邮件|聊天记录|记录|纪要|通知|公告|文字|文本|段落|内容|规则|手册|指南|合同|条款|说明|需求|报告|草稿|提示词|话|信|总结|方案|readme)",
        re.I,
    ),
    "edits": (
        r"\s*(?:please |pls |can you |could you |帮我|帮忙|请|麻烦)*(?:translate|proofread|summari[sz]e|rephrase|rewrite|polish|shorten|make (?:it|this) |fix (?:the )?(?:grammar|typos)|翻译|润色|总结|概括|改写|校对|缩写|提炼|精简)",
        re.I,
    ),
    "requests": (
        r"\b(?:review|summari[sz]e|translate|proofread|read|check|compare|rewrite|rephrase|polish|edit|shorten|explain|look at|look over|go through|what do you (?:think|make)|thoughts|opinion|feedback|tell me what|which of|is (?:this|it) (?:ok|any good|correct)|make sense|critique|rate|grade|outdated|extract|turn|convert|help me with|improve|comment on|doing wrong|wrong with|working|not work)\b"
        r"|总结|概括|翻译|润色|校对|改写|整理|提炼|精简|看看|看一下|看下|评价|点评|怎么样|如何|对比|检查|挑|找出|分析|解读|解释|借鉴|缩写|归纳|提取|过一遍|改改|改一下",
        re.I,
    ),
    "code_end": (r"[;{]\s*$|=>|\)\s*\{|</\w+>\s*$|^\s*\}|\w\(\)[;.]|:=|&&|\|\||!=", 0),
    "speaker": (
        r"\s*(?:\[[^\]\n]{1,20}\] ?)?([@\w\u4e00-\u9fff .-]{1,16}?)(?:[(（][^)）\n]{1,16}[)）])?\s?[:：]\s?\S",
        0,
    ),
    "speaker_name": (
        r"@?(?:[甲乙丙丁ABCDXYZ]|小\S{1,2}|老\S{1,2}|阿\S|[\u4e00-\u9fff]{1,3}(?:总|哥|姐|工|经理|老师)|产品|运营|测试|前端|后端|开发|设计|老板|领导|客户|客服|用户|同事"
        r"|me|you|him|her|user|assistant|boss|pm|po|qa|dev|ops|sre|db|cto|ceo|support|client|customer|lead|manager|designer|reviewer|bot|speaker \w+)\d{0,2}",
        re.I,
    ),
    "rule_label": (
        r"decision|decided|agreed|rule|policy|convention|note|process|flow|workflow|procedure|release|deploy|reminder|also|btw|fyi|backend|frontend"
        r"|约定|规则|规矩|流程|决定|结论|注意|记住|另外|顺便|补充|前端|后端|数据库|步骤|规范|要求|原则|偏好|习惯",
        re.I,
    ),
    "paste_lead": (
        r"(?:[:：]|below|following|如下|下面|以下)[^\n]{0,12}$",
        re.I,
    ),
    "paste_word": (
        r"\b(?:translat|summari[sz]|proofread|rephras|paraphras|reword|rewrit|polish|shorten|edit|correct|spell|grammar|typos?"
        r"|transcript|chat|thread|e?-?mail|message|article|paragraph|text|document|doc|docs|readme|contributing|guide|guidelines|memo|minutes|export|log|logs|output|says?|said|told|wrote|writes|reads|stands?|reply|answer(?:ed)?"
        r"|post|ticket|issue|comment|review|spec|rfc|quote|excerpt|snippet|section|chapter|page|policy of|terms|found|came across|copied|wiki|shorter|longer|nicer|friendlier|more formal|job ad|cover letter|resume|lyrics|speech|essay|abstract|thesis|policies|contract|letter|error|warning|trace|read this|look at this|what do you think|pasted|copied|from (?:the|their|another|a)|their|another|other (?:team|repo|project)"
        r"|proposed|suggested|example|sample|prompt|draft|headline|slogan|copy|caption|label)\b"
        r"|翻译|译成|译为|翻成|翻为|总结|概括|摘要|润色|校对|改写|改成更|精简|缩写|错别字|语法|纪要|记录|聊天|对话|邮件|文章|文档|段落|这段|这篇|原文|文本|文案|通知|公告|日志|输出|报错|错误|提示|堆栈"
        r"|说|写着|写道|回复|评论|规范全文|别的|别人|其他|另一个|他们|网上|贴|粘|摘|引用|例子|示例|样例|草稿|标题|口号|合同|条款|面试题|题目|作文|简历|文件|看看|帮我看|看一下|看下|评一下|评价|整理",
        re.I,
    ),
    "foreign": (
        r"\b(?:cover letter|cv|resume|essay|speech|lyrics|poem|abstract|thesis|homework|job ad|blog post|their|his|her|its|another|other (?:team|repo|project|people)|someone|somebody|translat\w+|summari\w+|proofread|rephrase|rewrite|polish|compare|the following|this (?:text|article|mail|email|guide|doc|document|thread|chat|log|paragraph|message))\b|翻译|总结|润色|改写|他们|别的|别人|其他|隔壁|这段|这篇|这份|聊天|记录|日志|报错|对方|给的|协议|找出|发来|转来|抄来?的|网上|对照|found|copied|came across|wiki",
        re.I,
    ),
    "own_heading": (
        r"\b(?:we|our|us|my|i|house|ground|team|process|procedure|workflow|flow|routine|steps|rules|conventions?|policy|decisions?|agreed|this (?:repo|codebase|project))\b|我们|我的|咱|组里|团队|约定|规矩|决定|记住|以后|流程|步骤|原则|惯例|规则",
        re.I,
    ),
    "refers_back": (
        r"(?:\b(?:summari[sz]e|translate|proofread|rephrase|rewrite|polish|tl;?dr|shorten)\b.{0,60}(?:\b(?:this|that|the above|above|it|these)\b|$)|what (?:is|was) (?:wrong|outdated|missing)"
        r"|\b(?:the above|text above|above text|pasted above)\b"
        r"|(?:总结|概括|翻译|润色|校对|改写|整理|提炼|精简).{0,12}(?:上面|以上|一下|这段|这篇|上文|成|下)|(?:上面|以上)(?:这|那|的)?(?:段|篇|些|份|文|内容|聊天|记录|规则).{0,40})",
        re.I,
    ),
    "own_return": (
        r"(?:btw|by the way|also,|anyway|separately|another thing|one more thing|on (?:my|our) side|for (?:us|our|my)\b|as for (?:us|me|our)|in our (?:repo|project|team)|my (?:own )?(?:take|rule|view)|i (?:prefer|like|hate|decided)|unrelated|apart from that|from now on|so (?:we|i)\b|and so you know|end of (?:quote|paste)"
        r"|顺便|另外|对了|我自己|我们这边|我们自己|我个人|我更|说回|话说|题外|以上是|我们组|我的要求|言归正传|不过我们|但我们)",
        re.I,
    ),
}


def paragraphs(text: str) -> list[Paragraph]:
    """The readable paragraphs of one user message, in order. Linear in the length of the message."""
    text = _own_text(text)
    return _without_pastes(_split(text))


def _own_text(text: str) -> str:
    if len(text) > MESSAGE_MAX_CHARS:
        # Whole lines only: the rest of a cut one may look like a statement.
        first, last = text[:EDGE_CHARS].rpartition("\n")[0], text[-EDGE_CHARS:].partition("\n")[2]
        text = f"{first}\n```\n```\n{last}"
    text = strip_controls(strip_invisible(text))
    mark = text.find(SUMMARY_MARK)
    if mark >= 0:
        text = text[:mark]
    injected = _patterns()["injected"]
    at = 0
    kept: list[str] = []
    while match := injected.search(text, at):
        closing = f"</{match.group(1)}>"
        end = text.find(closing, match.end())
        kept += [text[at : match.start()], "\n"]
        at = len(text) if end < 0 else end + len(closing)
    return "".join([*kept, text[at:]])


def _split(text: str) -> list[Paragraph]:
    patterns = _patterns()
    found: list[Paragraph] = []
    current = Paragraph()
    fence = ""

    def close(gap: Gap) -> None:
        nonlocal current
        if current.lines:
            found.append(current)
        elif current.after != "nothing" and gap == "nothing":
            gap = current.after
        current = Paragraph(after=gap)

    lines = text.split("\n")
    is_diff = any(raw.startswith(("@@ ", "diff --git", "--- a/")) for raw in lines)
    rows = _rows(lines)
    for at, raw in enumerate(lines):
        match = patterns["fence"].match(raw)
        if fence:
            if match and match.group(1).startswith(fence) and not match.group(2).strip():
                fence = ""
        elif match:
            closed_on_line = len(match.group(2).strip()) > 3 and match.group(2).rstrip().endswith(match.group(1))
            fence = "" if closed_on_line else match.group(1)
            close("paste")
        elif not raw.strip():
            close("nothing")
        elif patterns["title"].match(raw):
            close("title")
        elif at in rows or _is_noise(raw) or (is_diff and raw[0] in "+-"):
            close("paste")
        else:
            marker = patterns["marker"].match(raw)
            current.lines.append(Line(raw, mining_text.blanked(raw), marker.end() if marker else 0))
    close("nothing")
    return found


def _rows(lines: list[str]) -> set[int]:
    """Where lines of data stand: ``ROWS_MIN`` and more of one shape, blank lines apart."""
    filled = [at for at, raw in enumerate(lines) if raw.strip()]
    if len(filled) < ROWS_MIN:
        return set()
    found: set[int] = set()
    run: list[int] = []
    before = ""
    for at in filled:
        shape = _shape(lines[at][:LINE_MAX_CHARS])
        if not _are_alike(before, shape):
            run = []
        run.append(at)
        if len(run) >= ROWS_MIN:
            found.update(run[-ROWS_MIN:])
        before = shape
    return found


def _shape(raw: str) -> str:
    """The line with every number as ``0`` and every run of one character as one; columns stay where they are."""
    return _patterns()["run"].sub(r"\1", re.sub(r"\d+", "0", raw.strip()))


def _are_alike(first: str, second: str) -> bool:
    numbered = _patterns()["numbered_row"]
    if numbered.match(first) and numbered.match(second):
        return True
    for separator, least in (("\t", 1), (",", 2), (";", 2), ("|", 2)):
        if first.count(separator) == second.count(separator) >= least:
            return True
    start = _common_chars(first, second)
    end = _common_chars(first[start:][::-1], second[start:][::-1])
    return start + end >= SHAPE_SHARE * max(len(first), len(second))


def _common_chars(first: str, second: str) -> int:
    pairs = enumerate(zip(first, second, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(first), len(second)))


def _is_noise(raw: str) -> bool:
    patterns = _patterns()
    if len(raw) > LINE_MAX_CHARS or patterns["noise"].match(raw):
        return True
    if raw.startswith(("    ", "\t")) and not patterns["marker"].match(raw):
        return True
    if patterns["code_end"].search(raw) and not re.search(r"[\u4e00-\u9fff]", raw) and _symbol_share(raw) > 0.12:
        return True
    return _symbol_share(raw) > 0.3 and len(raw) > 12


def _symbol_share(raw: str) -> float:
    plain = raw.strip()
    symbols = sum(plain.count(c) for c in '{}()[]<>=;$&|\\/*+_"#%^~')
    return symbols / max(1, len(plain))


def _without_pastes(found: list[Paragraph]) -> list[Paragraph]:
    """Drop what the message says was pasted, chats of others, and what a last line asks to have summarised."""
    patterns = _patterns()
    if not found or patterns["prompt"].match(found[0].lines[0].matching.lstrip()):
        return []
    if len(found) > 1:
        last = found[-1]
        words = " ".join(line.text for line in last.lines)
        if len(words) < 160 and patterns["refers_back"].search(words):
            return [last]
    kept: list[Paragraph] = []
    pasted = False
    for i, paragraph in enumerate(found):
        is_last = i + 1 == len(found)
        if pasted or paragraph.after == "title":
            pasted = not (is_last and i > 0 and patterns["own_return"].match(paragraph.lines[0].matching))
            if pasted:
                continue
        lines = _without_chat(paragraph.lines)
        follows = "nothing" if is_last else found[i + 1].after
        for at, line in enumerate(lines):
            if _introduces_paste(line, has_more=at + 1 < len(lines) or not is_last):
                pasted = at + 1 < len(lines) or follows != "paste"
                lines = lines[: at + 1]
                break
        if i and patterns["prompt"].match(paragraph.lines[0].matching.lstrip()):
            continue
        if i == 0 and not pasted and not is_last and follows != "paste" and _asks_about_text(lines):
            pasted = True
        if lines:
            kept.append(Paragraph(lines, paragraph.after))
    return kept


def _asks_about_text(lines: list[Line]) -> bool:
    """A short request that names a text, with paragraphs below it: they are the text."""
    words = " ".join(line.matching for line in lines)
    patterns = _patterns()
    return (len(words) < 60 and bool(patterns["edits"].match(words))) or (
        len(words) < 160
        and bool(patterns["asks_about_text"].search(words) and patterns["requests"].search(words))
        and not patterns["own_heading"].search(words)
    )


def _introduces_paste(line: Line, has_more: bool) -> bool:
    patterns = _patterns()
    tail = line.matching.rstrip()[-80:]
    return bool(
        has_more
        and patterns["paste_lead"].search(tail)
        and (patterns["paste_word"].search(tail) or patterns["requests"].search(tail))
        and (patterns["foreign"].search(tail) or not patterns["own_heading"].search(tail))
    )


def _without_chat(lines: list[Line]) -> list[Line]:
    """Runs of two or more lines that other people said are left out."""
    patterns = _patterns()
    labels: list[str] = []
    for line in lines:
        match = None if line.marker_chars else patterns["speaker"].match(line.text)
        labels.append(match.group(1).strip() if match and not patterns["rule_label"].search(match.group(1)) else "")
    spoken = [label for label in labels if label]
    named = sum(bool(patterns["speaker_name"].fullmatch(label)) for label in spoken)
    if len(spoken) >= 2 and (len(set(spoken)) < len(spoken) or named >= 2):
        return [line for line, label in zip(lines, labels, strict=True) if not label]
    return lines
