"""The form of a text that the mining rules look at: as long as the text itself, position by position.

Rules never see what the user quotes: quoted words, inline code, addresses, paths and identifiers are blanked with
``x``, so that ``always_on`` is no "always". What is proposed is cut from the text itself, by the same positions.
"""

from __future__ import annotations

import re
from functools import cache

_TRADITIONAL = (
    "後习從決須統這們請說時個沒還嗎麼為團隊項歡討厭務嚴許準則應該總選慣習寫們對專案讓給過來開進會總與並將樣規範",
    "后习从决须统这们请说时个没还吗么为团队项欢讨厌务严许准则应该总选惯习写们对专案让给过来开进会总与并将样规范",
)
_QUOTE_MARKS = ("’‘“”＂＇", "''\"\"\"'")
_FULL_WIDTH = {code: code - 0xFEE0 for code in range(0xFF10, 0xFF5B) if chr(code).isalnum()}


@cache
def _one_to_one() -> dict[int, int]:
    table = dict(_FULL_WIDTH)
    for source, target in (_TRADITIONAL, _QUOTE_MARKS):
        table.update({ord(a): ord(b) for a, b in zip(source, target, strict=True) if a not in "“”"})
    table[0xA0] = table[0x3000] = 0x20
    return table


@cache
def _blanked() -> re.Pattern[str]:
    return re.compile(
        r"`[^`\n]{1,300}`"
        r"|“[^”\n]{1,400}”|「[^」\n]{1,400}」|『[^』\n]{1,400}』|《[^》\n]{1,100}》|【[^】\n]{1,100}】"
        r"|(?<![\w\"])\"[^\"\n]{1,400}\""
        r"|(?<![\w'])'[^'\n]{1,3}'(?!\w)|(?<![\w'])'(?=[^'\n]{0,400}[^'\n\s]'(?!\w))[^\n]{1,400}?'(?![\w])"
        r"|\b[a-z][a-z0-9+.-]{1,15}://[!-~]+"
        r"|(?<![\w])[\w.@*~-]{0,60}[\w*~](?:[/\\][\w.@*~{}$-]{1,80}){1,20}/?"  # a path; and/or too
        r"|(?<!\w)[a-z0-9]{1,60}(?:_[a-z0-9]{1,60}){1,20}(?!\w)"
        r"|(?<![\w])[a-z0-9-]{1,60}(?:\.[a-z][a-z0-9]{0,60}){1,10}(?:\(\))?(?!\w)"
        r"|(?<!\w)(?:must|never|always|prefer|should|only)-[a-z-]{1,40}"
        r"|(?<!\w)--?[a-z][\w-]{2,40}",
        re.ASCII,
    )


def lowered(text: str) -> str:
    """Small letters, straight apostrophes, half-width letters, simplified trigger characters; the same length."""
    text = text.translate(_one_to_one())
    small = text.lower()
    if len(small) == len(text):
        return small
    return "".join(c if len(c.lower()) != 1 else c.lower() for c in text)


def blanked(text: str) -> str:
    """``lowered`` with everything that is quoted or named rather than said replaced by ``x``; the same length."""
    return _blanked().sub(lambda match: "x" * (match.end() - match.start()), lowered(text))


_IN_CHINESE = {
    "i": "我",
    "we": "我们",
    "our": "我们的",
    "my": "我的",
    "you": "你",
    "your": "你的",
    "team": "团队",
    "prefer": "偏好",
    "prefers": "偏好",
    "like": "喜欢",
    "likes": "喜欢",
    "love": "喜欢",
    "hate": "讨厌",
    "dislike": "讨厌",
    "always": "一律",
    "never": "绝不",
    "must": "必须",
    "should": "应该",
    "usually": "一般",
    "normally": "一般",
    "really": "真的",
    "personally": "个人",
    "decided": "决定",
    "decide": "决定",
    "agreed": "约定好",
    "confirmed": "确定",
    "confirm": "确定",
    "settled": "定了",
    "chose": "选了",
    "picked": "选了",
    "final": "最终",
    "decision": "决定",
    "use": "用",
    "used": "用",
    "using": "用",
    "before": "之前",
    "after": "之后",
    "every": "每个",
    "each": "每个",
    "all": "所有",
    "any": "任何",
    "only": "只",
    "supports": "支持",
    "support": "支持",
    "no": "不要",
    "dont": "不要",
    "don't": "不要",
    "not": "不",
    "please": "请",
    "pls": "请",
    "maybe": "也许",
    "if": "如果",
    "rule": "规矩",
    "convention": "约定",
    "style": "风格",
    "frozen": "冻结",
    "today": "今天",
    "tomorrow": "明天",
    "yet": "暂时",
    "why": "为什么",
    "how": "怎么",
    "what": "什么",
    "which": "哪个",
    "should we": "要不要",
    "for now": "暂时",
    "switch to": "换成",
    "switch": "切",
    "switched": "切",
    "migrate": "迁",
    "migrated": "迁",
    "move": "搬",
    "moved": "搬",
    "update": "更新",
    "deploy": "部署",
    "run": "跑",
    "merge": "合并",
    "push": "推",
    "fix": "修",
    "add": "加",
    "test": "测试",
    "release": "发布",
    "review": "评审",
    "switched to": "换成",
    "migrate to": "迁到",
    "migrated to": "迁到",
    "move to": "迁到",
    "moved to": "迁到",
    "go with": "定了用",
    "let's": "我们",
    "lets": "我们",
    "read only": "只读",
    "read-only": "只读",
    "hands off": "别碰",
    "off limits": "别碰",
    "no exceptions": "没有例外",
    "by default": "默认",
    "from now on": "以后",
    "going forward": "以后",
    "reply": "回复",
    "answer": "回答",
    "explain": "解释",
    "summary": "总结",
    "conclusion": "结论",
    "default": "默认",
    "at least": "至少",
    "at most": "最多",
    "this": "这个",
    "first": "先",
    "for me": "给我看",
    "then": "再",
    "forget it": "当我没说",
    "consider": "考虑",
    "forbidden": "禁止",
    "banned": "禁止",
    "deprecated": "废弃",
    "drop": "放弃",
    "dropped": "放弃",
    "keep": "保留",
    "workflow": "流程",
    "process": "流程",
    "steps": "步骤",
    "fail": "失败",
    "fails": "失败",
    "error": "报错",
    "help": "帮我",
    "check": "检查",
    "client": "客户",
    "boss": "老板",
    "leader": "领导",
    "lead": "领导",
    "pm": "产品经理",
    "docs": "文档",
    "says": "说",
    "said": "说",
    "refactor": "重构",
    "translate": "翻译",
    "remember": "记住",
    "note": "注意",
    "agree": "同意",
}


@cache
def chinese() -> re.Pattern[str]:
    """One Chinese character."""
    return re.compile("[\u3400-\u9fff]")


@cache
def _mixed() -> tuple[re.Pattern[str], re.Pattern[str]]:
    words = "|".join(sorted(map(re.escape, _IN_CHINESE), key=len, reverse=True))
    return re.compile(rf"(?<![a-z0-9_-])(?:{words})(?![a-z0-9_'-])"), re.compile(
        "(?<=[\u3000-\u9fff\uff00-\uffee]) +| +(?=[\u3000-\u9fff\uff00-\uffee])"
    )


def as_chinese(matching: str) -> str:
    """A sentence that has Chinese in it, with its English trigger words in Chinese and no blanks around characters."""
    words, blanks = _mixed()
    return blanks.sub("", words.sub(lambda match: _IN_CHINESE[match.group()], matching))


_TRIGGERS_TEXT = """
prefer prefers preference always usually normally generally decided decision settled agreed standardise standardize
standardised standardized forbidden mandatory whenever convention workflow process procedure forward required requires
chosen picked switching migrating supported
"""
_TRIGGERS = tuple(_TRIGGERS_TEXT.split())
_REAL_WORDS_TEXT = """
refer refers deferred defer settles settle setter nettled agree greed agrees process processed processes wherever
require requires required requirement foreward toward formal formally general normal usual supporter supports
preferred pickled kicked ticked licked packed pecked chose choose choosen decide decides derided division precision
incision revision conventions conversion convection reference references deference inquires acquires acquired rehired
requited forwards preferences procedures workflows decisions processor precess princess mandatary way ways
"""
_REAL_WORDS = frozenset(_REAL_WORDS_TEXT.split())


@cache
def _near_triggers() -> dict[str, list[str]]:
    near: dict[str, list[str]] = {}
    for word in _TRIGGERS:
        for form in {word, *_shorter(word)}:
            near.setdefault(form, []).append(word)
    return near


@cache
def _word_run() -> re.Pattern[str]:
    return re.compile(r"[a-z]{6,15}")


def corrected(matching: str) -> str:
    """The lowered text with one slip of the finger per trigger word put right (``perfer``, ``decieded``)."""
    if not _word_run().search(matching):
        return matching
    return _word_run().sub(lambda match: _corrected_word(match.group()), matching)


_known: dict[str, str] = {}
_KNOWN_MAX = 20_000


def _corrected_word(word: str) -> str:
    known = _known.get(word)
    if known is None:
        if len(_known) >= _KNOWN_MAX:
            _known.clear()
        known = _known[word] = _nearest(word)
    return known


def _nearest(word: str) -> str:
    near = _near_triggers()
    if word in _TRIGGERS or word in _REAL_WORDS or (word.endswith("s") and word[:-1] in _REAL_WORDS):
        return word
    for form in (word, *_shorter(word)):
        for trigger in near.get(form, ()):
            if trigger[0] == word[0] and _one_slip(word, trigger):
                return trigger
    return word


def _shorter(word: str) -> list[str]:
    return [word[:i] + word[i + 1 :] for i in range(len(word))]


def _one_slip(word: str, target: str) -> bool:
    """One letter too many, too few, wrong, or two neighbours swapped."""
    if len(word) == len(target):
        wrong = [i for i in range(len(word)) if word[i] != target[i]]
        if len(wrong) == 1:
            return True
        return (
            len(wrong) == 2
            and wrong[1] == wrong[0] + 1
            and word[wrong[0]] == target[wrong[1]]
            and (word[wrong[1]] == target[wrong[0]])
        )
    long, short = (word, target) if len(word) > len(target) else (target, word)
    return len(long) == len(short) + 1 and short in _shorter(long)
