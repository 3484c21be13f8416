"""Memories and questions from a seeded generator: English and Chinese, words by Zipf's law, names, paths, versions."""

from __future__ import annotations

import random
from dataclasses import dataclass

_WORDS = """
service config request user test build deploy database cache token server client error log queue job worker branch
release version team review module function file path port host timeout retry schema table index migration backup
cluster node image container registry pipeline environment variable session cookie header payload response endpoint
route gateway proxy limit quota metric alert dashboard trace latency memory disk network region bucket upload
download stream batch event topic consumer producer message handler plugin theme format checker interface argument
option command script terminal editor model provider window summary history ranking document page section template
button form field rule policy permission role account profile language timezone calendar schedule trigger invoice
payment order refund customer contract report export parser archive snapshot rollback experiment dataset column row
partition replica leader lock thread process scheduler compiler runtime kernel driver firewall certificate domain
crawler browser fixture coverage benchmark threshold seed generator decorator mapping sequence morning weekly
deadline sprint ticket incident outage runbook owner
""".split()
_CHINESE = """
数据库 部署 配置 接口 测试 环境 代码 版本 端口 用户 日志 任务 缓存 请求 超时 流程 规则 文件 目录 分支
提交 合并 评审 发布 回滚 监控 报警 权限 账号 登录 令牌 备份 恢复 迁移 索引 查询 性能 内存 磁盘 网络
集群 节点 容器 镜像 仓库 脚本 命令 终端 插件 格式 注释 文档 模块 函数 变量 参数 类型 异常 重试 队列
消息 订单 支付 退款 发票 客户 报表 压缩 快照 灰度 指标 线程 调度 浏览器 爬虫 覆盖率 负责人 会议 周一
周五 凌晨 需求 工单 故障 值班
""".split()
_FILLER = frozenset(
    """
the to of and in for is on with that we it this as are not by from when use should all must can will
""".split()
)
_FILLING = sorted(_FILLER)
_TOPICS = "backend frontend mobile infra data billing search security docs team tooling research".split()
"""Tags are subjects: many memories share one, and every fourth question names it."""
_TYPES = ("decision", "workflow", "constraint", "preference")


@dataclass(frozen=True)
class Made:
    """One memory and a question about it."""

    key: str
    value: str
    tags: list[str]
    question: str


def memory(number: int, *, salt: int = 0) -> Made:
    """The memory with this number: 80 to 400 characters; every tenth is Chinese. Always the same for a number."""
    rng = random.Random(number * 1_000_003 + salt)
    chinese = number % 10 == 7
    pool = _CHINESE if chinese else _WORDS
    weights = [1 / (rank + 3) for rank in range(len(pool))]
    length = rng.randint(80, 400)
    words: list[str] = []
    size = 0
    while size < length:
        word = rng.choices(pool, weights)[0] if chinese or rng.random() < 0.5 else rng.choice(_FILLING)
        if not chinese and rng.random() < 0.12:
            word = _name(rng, word)
        words.append(word)
        size += len(word) + (0 if chinese else 1)
    value = ("" if chinese else " ").join(words)[:length]
    content = [word for word in words[:-1] if word not in _FILLER]
    topic = rng.choice(_TOPICS)
    tags = [rng.choice(_TYPES)] * (rng.random() < 0.2) + [topic]
    asked = rng.sample(content, min(4, len(content)))
    if chinese:
        question = f"关于{asked[0]}和{asked[1]}，{asked[2]}的{asked[-1]}是怎么约定的？"
    else:
        about = f"in {topic} " if rng.random() < 0.25 else ""
        question = f"what did we say {about}about {' '.join(_other_form(word, rng) for word in asked)}?"
    return Made(f"{rng.choice(content)} {rng.choice(content)} {number}", value, tags, question)


def _name(rng: random.Random, word: str) -> str:
    other = rng.choice(_WORDS)
    forms = (f"{word}_{other}", f"{word}-{other}", f"src/{word}/{other}.py", f"{word}{other.capitalize()}")
    return rng.choice((*forms, f"OPS-{rng.randint(100, 9999)}", f"v{rng.randint(1, 9)}.{rng.randint(0, 20)}"))


def _other_form(word: str, rng: random.Random) -> str:
    if not word.isalpha() or rng.random() < 0.4:
        return word
    return word + "s" if not word.endswith("s") else word[:-1]
