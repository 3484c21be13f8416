"""What of a user message is read: the user's own prose and lists, paragraph by paragraph.

Not read: what the program put in (memory blocks, summaries), code fences, quoted lines, logs, stack traces, diffs,
command output, code, chats of others, documents under headings, and whatever the message says was pasted, is to be
translated, edited or summarised.
"""

# ruff: noqa: E501 - a pattern is one line, so that a rule can be read as one row
from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache

from agentao.memory import mining_text
from agentao.memory.text import strip_controls, strip_invisible

MESSAGE_MAX_CHARS = 12_000
"""A longer message is a paste with words around it: only its first and last ``EDGE_CHARS`` are read."""
EDGE_CHARS = 3_000
LINE_MAX_CHARS = 1_200
"""A longer line is no statement."""

SUMMARY_MARK = "[Conversation Summary]"


@dataclass(slots=True)
class Line:
    """One line of the user's own text; ``marker_chars`` of it are a list marker."""

    text: str
    matching: str
    marker_chars: int = 0


@dataclass(slots=True)
class Paragraph:
    """Lines without a gap between them. ``after_paste``: something that is not read stood in front."""

    lines: list[Line] = field(default_factory=list)
    after_paste: bool = False


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
        r"|\[?\d{4}-\d\d-\d\d[ T]\d\d:\d\d|\[?\d{1,2}:\d\d(?::\d\d(?:[.,]\d+)?)?\]? ?(?:\S{1,20}[:：]|\[|[A-Z]{4,5}\b)"
        r"|\w{3} {1,2}\d{1,2} \d\d:\d\d:\d\d |\d{10,13}[ .]"
        r"|\[[^\]\n]{1,60}\] ?[\w(/@-]*[:：]|\[\d+/\d+\]|\[\s*\d+(?:\.\d+)?\]"
        r"|\[?(?:ERROR|WARN(?:ING)?|INFO|DEBUG|TRACE|FATAL|FAIL(?:ED)?|PASS(?:ED)?|CRITICAL|NOTICE|OK|SEVERE)\]?[:\s|-]"
        r"|(?:error|warning|warn|fatal|panic|note|info|help|hint|debug|remote)(?:\[\w+\])?: "
        r"|(?:npm|yarn|pnpm) (?:ERR!|WARN|error|warn)|(?:E|W|F) {2,}"
        r"|Traceback \(|Caused by[:：]|During handling of|Exception in thread|goroutine \d"
        r"|File \"|at [\w$.<>/]+ ?\(|at [\w./$-]+:\d+|\.{3} \d+ more|in [\w/.]+:\d+"
        r"|(?:[A-Za-z_][\w.]*)?(?:Error|Exception|Warning|Fault)(?:\[[^\]]*\])?[:：]"
        r"|error TS\d+|[\w./-]+:\d+(?::\d+)?(?::| -)|[A-Z]{2,}\d{2,}:"
        r"|diff --git|index [0-9a-f]{7}|@@ |[-+]{3} [ab/]|[-+] {0,8}[\w\"'.(){}\[\]]+ ?(?:=|:|\()|commit [0-9a-f]{7,}"
        r"|[$#%❯➜] ?(?:\w|\./)[^，。]*$|PS [A-Z]:|>>> |\.\.\. |In \[\d|Out\[\d"
        r"|#{1,6} |={4,}|-{4,}|\*{4,}|_{4,}|~{4,}"
        r"|[✓✗✔✘×√❌✅⨯] |(?:✓|✗)|<!--|//|/\*|\*/|\* @|<\/?[a-z][\w-]*[ >/]|<\?xml|#include|#!/|@\w+\("
        r"|(?:const|let|var|function|import|export|def|class|return|public|private|async def|elif|else:|try:|SELECT|INSERT|UPDATE|CREATE TABLE)\b[^，。]*[;{}()=:]\s*$"
        r"|(?:import|from) [\w.]+(?: import [\w, ]+)?$"
        r"|\"[\w $.-]{1,60}\"\s*:|[{}\[\]()]+[,;]?\s*$|[\w.\[\]-]{1,60} ?=(?!=|>) ?\S+;?\s*$"
        r"|(?:From|To|Subject|Cc|Sent|Date|发件人|收件人|主题|抄送)[:：]"
        r"|on .{4,80} wrote:|.{1,40} (?:wrote|schrieb)[:：]\s*$"
        r"|(?:USER|Assistant|Human|AI|System|ChatGPT|Claude|Bot|assistant|user)[:：]"
        r"|\[(?:Request interrupted|Image|System|Pasted|Attachment|Conversation)"
        r")",
        0,
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
        r"|post|ticket|issue|comment|review|spec|rfc|quote|excerpt|snippet|section|chapter|page|policy of|terms|contract|letter|error|warning|trace|read this|look at this|what do you think|pasted|copied|from (?:the|their|another|a)|their|another|other (?:team|repo|project)"
        r"|proposed|suggested|example|sample|prompt|draft|headline|slogan|copy|caption|label)\b"
        r"|翻译|译成|译为|总结|概括|摘要|润色|校对|改写|改成更|精简|缩写|错别字|语法|纪要|记录|聊天|对话|邮件|文章|文档|段落|这段|这篇|原文|文本|文案|通知|公告|日志|输出|报错|错误|提示|堆栈"
        r"|说|写着|写道|回复|评论|规范全文|别的|别人|其他|另一个|他们|网上|贴|粘|摘|引用|例子|示例|样例|草稿|标题|口号|合同|条款|面试题|题目|作文|简历|文件|看看|帮我看|看一下|看下|评一下|评价|整理",
        re.I,
    ),
    "own_heading": (
        r"\b(?:we|our|us|my|i|house|ground|team)\b|我们|我的|咱|组里|团队|约定|规矩|决定|记住|以后|流程|步骤|原则|惯例|规则",
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
    found: list[Paragraph] = []
    for paragraph in _split(text):
        if paragraph.lines:
            found.append(paragraph)
    return _without_pastes(found)


def _own_text(text: str) -> str:
    if len(text) > MESSAGE_MAX_CHARS:
        text = f"{text[:EDGE_CHARS]}\n```\n```\n{text[-EDGE_CHARS:]}"
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
    previous_blank = True

    def close(pasted: bool) -> None:
        nonlocal current
        found.append(current)
        current = Paragraph(after_paste=pasted)

    for raw in text.split("\n"):
        match = patterns["fence"].match(raw)
        if fence:
            if match and match.group(1).startswith(fence) and not match.group(2).strip():
                fence = ""
            continue
        if match:
            closed_on_line = match.group(2).rstrip().endswith("`" * 3) and len(match.group(2).strip()) > 3
            fence = "" if closed_on_line else match.group(1)
            close(pasted=True)
            continue
        if not raw.strip():
            if current.lines:
                close(pasted=False)
            previous_blank = True
            continue
        if _is_noise(raw, previous_blank):
            close(pasted=True)
            previous_blank = False
            continue
        previous_blank = False
        marker = patterns["marker"].match(raw)
        skip = marker.end() if marker else 0
        current.lines.append(Line(raw, mining_text.blanked(raw), skip))
    found.append(current)
    return found


def _is_noise(raw: str, after_blank: bool) -> bool:
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
    if len(found) > 1:
        last = found[-1]
        words = " ".join(line.text for line in last.lines)
        if len(words) < 160 and patterns["refers_back"].search(words):
            return [last]
    kept: list[Paragraph] = []
    pasted = False
    for paragraph in found:
        first = paragraph.lines[0].matching
        if pasted:
            if paragraph is not found[-1] or not patterns["own_return"].match(first):
                continue
            pasted = False
        lines = _without_chat(paragraph.lines)
        for i, line in enumerate(lines):
            if _introduces_paste(line, has_more=i + 1 < len(lines) or paragraph is not found[-1]):
                lines = lines[: i + 1]
                pasted = True
                break
        if lines:
            kept.append(Paragraph(lines, paragraph.after_paste))
    return kept


def _introduces_paste(line: Line, has_more: bool) -> bool:
    patterns = _patterns()
    tail = line.matching.rstrip()[-80:]
    return bool(
        has_more
        and patterns["paste_lead"].search(tail)
        and patterns["paste_word"].search(tail)
        and not patterns["own_heading"].search(tail)
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
