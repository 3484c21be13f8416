"""What the offline assistant understands, as data: ways to ask it to remember, questions, and its answers."""

from __future__ import annotations

import re
from typing import Final

REMEMBER: Final = re.compile(
    r"""^\s*(?:
        (?:(?:please|pls|kindly|can\ you|could\ you|would\ you|and|also|ok|okay|hey|now)[,\s]+)*
        (?:
          (?:remember|memori[sz]e|keep\ in\ mind|don['’]?t\ forget|do\ not\ forget|never\ forget)
          (?:\s+(?:this|the\ following))?(?:\s*[:,]\s*|\s+that\s+|\s+)
        | (?:note(?:\ down)?|make\ a\ note|take\ a\ note|save|store)
          (?:\s+(?:this|the\ following|to\ memory|in\ memory))*(?:\s*:\s*|\s+that\s+)
        )
      |
        (?:请|麻烦|麻烦你|帮我|帮忙|你|要|务必|顺便|好的?[，,]?|另外[，,]?|嗯[，,]?)*
        (?:记住了?|记得|记一下|记下来?|记着|牢记|保存一下|保存|存一下|别忘了?|不要忘记?了?|请勿忘记)
        (?:这一?[点条件个]|以下(?:内容)?)?\s*[:：，,]?\s*
    )(?P<fact>\S.*)$""",
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)
"""A line that asks to keep what follows."""

ASKS_IF_REMEMBERED: Final = re.compile(
    r"^\s*(?:do|can|did|will)\s+you\s+remember\b|^\s*你?(?:还|是否)?记得.*[吗么？?]\s*$|^\s*remember\b[^.]*\?\s*$",
    re.IGNORECASE,
)
"""Looks like "remember …" but is a question."""

UPDATE: Final = re.compile(
    r"""^\s*(?:please\s+|请)*(?:
        (?:update|change|set|switch)\s+(?:my\s+|the\s+)?(?P<en>.+?)\s+to\s+(?P<en_value>.+?)
      | (?:更新|修改|更改|改一下|设置)\s*(?:我的)?(?P<zh>.+?)\s*(?:为|成|到)\s*(?P<zh_value>.+?)
      | (?:把|将)\s*(?:我的)?(?P<ba>.+?)\s*(?:改成|改为|换成|更新为|设为|设成)\s*(?P<ba_value>.+?)
    )[.。!！]?\s*$""",
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)
"""Gives something that may be stored already another value."""

FORGET: Final = re.compile(
    r"^\s*(?:please\s+)?(?:forget|delete|remove)\s+(?:about\s+|that\s+|my\s+|the\s+)?(?P<en>.+?)[.!]?\s*$"
    r"|^\s*(?:请|帮我)*(?:忘记|忘掉|忘了|删除|删掉)(?P<zh>.+?)[。！]?\s*$",
    re.IGNORECASE,
)

QUESTION: Final = re.compile(
    r"""[?？]\s*$|[吗呢么]\s*[。.!！]?\s*$
      | ^\s*(?:what|which|who|whom|whose|where|when|why|how)\b
      | ^\s*(?:is|are|was|were|do|does|did|can|could|should|will|would|am|have|has)\b
      | ^\s*(?:tell\ me|remind\ me|show\ me|list|recall)\b
      | 什么|哪个|哪些|哪里|哪儿|谁|多少|几[点个种]|怎么|怎样|如何|是否|是不是|有没有|为什么|告诉我|提醒我""",
    re.IGNORECASE | re.VERBOSE,
)

ASKS_FOR_ALL: Final = re.compile(
    r"""what\b.*\b(?:you\ (?:know|remember|recall)|i\ (?:told|asked)\ you|have\ i\ told)
      | what(?:['’]s|\ is)\ in\ (?:your|the)\ memory
      | ^\s*(?:list|show|recall|tell\ me)\b.*\b(?:everything|all|memor(?:y|ies)|facts|notes)\b
      | 你.*(?:记得|记住了?|知道).*(?:什么|哪些|多少)
      | (?:有|存了?|记了?)(?:哪些|什么)记忆
      | 我(?:告诉|跟你说|说)过.*(?:什么|哪些)""",
    re.IGNORECASE | re.VERBOSE,
)

FIRST_PERSON: Final = re.compile(r"\b(?:i|i['’]?m|i['’]?ve|my|me|mine|myself)\b|我(?!们)|本人|咱(?!们)", re.IGNORECASE)
"""The speaker alone, not the team: what follows belongs to the user, not to the project."""

NAME: Final = re.compile(
    r"^\s*(?:my\s+name\s+is|i\s+am\s+called|(?:you\s+can\s+)?call\s+me|i['’]?m\s+called)\s+(?P<en>[^\s,.!].{0,40}?)[.!]?\s*$"
    r"|^\s*(?:我的名字(?:是|叫)|我的?名叫|我叫|我姓名是|叫我|请叫我)\s*(?P<zh>[^，。,.!！\s].{0,30}?)[。.!！]?\s*$",
    re.IGNORECASE,
)

VALUE_OF: Final = re.compile(
    r"^\s*(?:my|our|the|this\s+project['’]s|this\s+repo['’]s)\s+(?P<en>[^,;:=]{2,50}?)\s*(?:\bis\b|\bare\b|=|:)\s*(?P<en_value>\S.*)$"
    r"|^\s*(?:我的|我们的|这个项目的|本项目的|项目的?)\s*(?P<zh>[^，,；;：:=]{1,24}?)\s*(?:是|为|=|：|:|叫|用的是)\s*(?P<zh_value>\S.*)$"
    r"|^\s*(?P<bare>[\w .+#/-]{2,40}?)\s*(?:=|：|:\s)\s*(?P<bare_value>\S.*)$"
    r"|^\s*(?P<subject>(?![我你他她它这那])[^，,；;：:=。]{1,12}?)\s*是\s*(?P<subject_value>[^，,；;]+)$",
    re.IGNORECASE | re.DOTALL,
)
"""X is Y: the key is X, the value is Y."""

KINDS: Final[tuple[tuple[str, str], ...]] = (
    (
        "user_preferred_editor",
        r"\b(?:n?vim|neovim|emacs|vs\s?code|sublime|helix|nano|zed|editor|ide|pycharm|intellij)\b|编辑器",
    ),
    ("user_preferred_shell", r"\b(?:zsh|fish|bash|nushell|powershell)\b"),
    ("user_preferred_terminal", r"\b(?:ghostty|kitty|alacritty|wezterm|iterm2?|tmux)\b|终端"),
    ("user_indentation", r"\b(?:tabs|spaces|indent(?:ation)?)\b|缩进"),
    (
        "user_answer_language",
        r"\b(?:answers?|repl(?:y|ies)|respond|speak|talk)\b.*\b(?:english|chinese|german|french|spanish|japanese)\b"
        r"|(?:用|说|讲|以)(?:简体|繁体)?(?:中文|英文|英语|汉语|日语)",
    ),
    (
        "user_answer_style",
        r"\b(?:short|brief|concise|terse|detailed|long)\s+(?:answers?|repl(?:y|ies))\b|回答.*(?:简短|简洁|详细)",
    ),
    ("user_timezone", r"\b(?:time\s?zone|utc[+-]\d)|时区"),
    ("user_location", r"\bi\s+(?:live|am\s+based)\s+in\b|我(?:住在|在.{1,10}(?:上班|工作|生活))"),
    (
        "user_role",
        r"\bi(?:['’]?m|\s+am|\s+work\s+as)\s+an?\s+[\w ]*"
        r"(?:engineer|developer|programmer|designer|manager|student|teacher|scientist)\b"
        r"|我是.{0,12}(?:工程师|开发|设计师|经理|学生|老师)",
    ),
    ("user_operating_system", r"\b(?:linux|ubuntu|debian|fedora|arch|macos|windows)\b|操作系统"),
)
"""What a statement about the speaker is about, by its words: (key, pattern); the first that fits names the key."""

ABOUT_ANSWERS: Final = frozenset({"user_answer_language", "user_answer_style"})
"""Kinds that are about the user even where no "I" or "my" is said."""

SAVE_FAILED: Final = {"en": "I could not save that: {}", "zh": "没有保存：{}"}
SAVED: Final = {"en": "I will remember: {}", "zh": "记住了：{}"}
FOUND: Final = {"en": "From memory:", "zh": "根据记忆："}
NOTHING_STORED: Final = {
    "en": "Nothing is stored yet. Say “remember that …” and I will keep it.",
    "zh": "还没有任何记忆。说“记住……”，我就会保存。",
}
NOT_FOUND: Final = {"en": "I find nothing about that in the memory.", "zh": "记忆里没有找到相关内容。"}
HOW_TO_FORGET: Final = {
    "en": "I cannot delete memories; you can: /memory delete {}",
    "zh": "我不能删除记忆，您可以用命令：/memory delete {}",
}
MEMORY_OFF: Final = {
    "en": "Memory is off in this session, so nothing was saved. /memory on switches it on.",
    "zh": "本次会话的记忆已关闭，没有保存任何内容。用 /memory on 打开。",
}
NO_SUMMARY: Final = "The offline assistant cannot write summaries. Connect a model first; /help model shows how."
NO_OTHER_MODEL: Final = (
    "No model server is configured, so there is only the offline assistant. /help model shows how to connect."
)

NO_MODEL: Final = {
    "en": """\
No language model is connected, so I can only remember things and look them up: “remember that …”, or a question about
what you told me. To talk to a model, set these before the start (or `[model]` in ~/.agentao/config.toml):

    # OpenAI
    OPENAI_API_KEY=sk-…  OPENAI_MODEL=gpt-5-mini
    # DeepSeek
    OPENAI_API_KEY=sk-…  OPENAI_MODEL=deepseek-chat
    OPENAI_BASE_URL=https://api.deepseek.com
    # Ollama
    OPENAI_MODEL=qwen3
    OPENAI_BASE_URL=http://localhost:11434/v1

/help lists the commands.""",
    "zh": """\
现在没有连接语言模型，我只能记住事情并查找记忆：说“记住……”，或者问我您说过的内容。要连接模型，请在启动前设置\
（或写入 ~/.agentao/config.toml 的 `[model]`）：

    # OpenAI
    OPENAI_API_KEY=sk-…  OPENAI_MODEL=gpt-5-mini
    # DeepSeek
    OPENAI_API_KEY=sk-…  OPENAI_MODEL=deepseek-chat
    OPENAI_BASE_URL=https://api.deepseek.com
    # Ollama
    OPENAI_MODEL=qwen3
    OPENAI_BASE_URL=http://localhost:11434/v1

/help 列出所有命令。""",
}
STILL_NO_MODEL: Final = {
    "en": "No language model is connected, so I do not understand that. /help lists the commands.",
    "zh": "没有连接语言模型，这句话我不明白。/help 列出所有命令。",
}
"""Where ``NO_MODEL`` stands in the conversation already."""
