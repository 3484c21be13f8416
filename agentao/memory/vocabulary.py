"""Words that name a memory's type, in English and Chinese: in tags as a whole, in keys as one of the words."""

from __future__ import annotations

from agentao.memory.models import MemoryType

_WORDS: dict[MemoryType, str] = {
    "preference": "preference preferences prefer prefers preferred pref prefs favorite favorites favourite"
    " favourites likes dislikes habit habits taste tastes 偏好 喜好 喜欢 爱好 习惯 首选 口味 倾向",
    "profile": "profile profiles identity persona personal bio about_me about_user 个人资料 个人信息 身份 画像 简介"
    " 自我介绍",
    "project_fact": "project_fact project_facts fact facts project_info 事实 项目事实 项目信息",
    "workflow": "workflow workflows procedure procedures routine routines how_to howto runbook playbook checklist 流程"
    " 工作流 步骤",
    "decision": "decision decisions decided adr 决定 决策 选型 决议",
    "constraint": "constraint constraints rule rules restriction restrictions limitation limitations requirement"
    " requirements convention conventions guideline guidelines must never forbidden policy policies 约束 限制 规则 规定"
    " 规范 要求 禁止 必须 不要 不得 约定 禁忌",
    "note": "note notes memo memos reminder reminders todo 笔记 备注 备忘 提醒 便签 待办",
}

TYPE_WORDS: dict[str, MemoryType] = {word: named for named, words in _WORDS.items() for word in words.split()}
"""Normalised word -> type."""

TYPE_STEMS: dict[MemoryType, tuple[str, ...]] = {
    named: tuple(word for word in words.split() if not word.isascii()) for named, words in _WORDS.items()
}
"""Chinese words that name a type anywhere inside a key or a tag, since nothing parts them from their neighbours."""

_PROFILE = (
    "name nickname role job title occupation profession company employer team age birthday birthdate gender pronouns"
    " email mail phone address location city country home timezone language languages education family"
)
_PROFILE_ZH = "姓名 名字 昵称 称呼 职业 职位 岗位 公司 年龄 生日 性别 邮箱 电话 住址 地址 城市 时区"
PROFILE_WORDS = frozenset(_PROFILE.split())
PROFILE_STEMS = tuple(_PROFILE_ZH.split())
"""Words in a key about the user that speak of who that is."""

ABOUT_THE_USER = ("用户", "我的", "本人")
"""What makes a Chinese key one about the user, as ``user_`` does an English one."""
