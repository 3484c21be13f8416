"""Everyday words that are asked in one way and written down in another: data for recall.

One line is one group; a word may stand in several. A synonym counts less than the word itself. Chinese words of any
length are found inside sentences.
"""

from __future__ import annotations

import re
from functools import cache

from agentao.memory.stemmer import stem

_EVERYDAY = """
child son daughter baby toddler childhood
parent mother father mom dad
mother mom
father dad
grandmother grandma
grandfather grandpa
sibling brother sister
family relative
spouse husband wife partner
boyfriend girlfriend partner date dating
marry marriage wedding bride groom
engaged engagement fiance propose proposal
friend buddy pal
pet dog cat puppy kitten animal
dog puppy pup
cat kitten kitty
job work career profession occupation employment
boss manager supervisor
colleague coworker teammate
company firm business employer startup
store shop boutique
money cash fund funding finance financial budget
salary wage income pay
buy purchase acquire
sell sale
cost price expense fee
cheap affordable
expensive costly
home house apartment flat
move relocate relocation
live reside residence
city town
country nation homeland abroad
travel trip journey visit tour vacation
vacation holiday getaway
beach coast seaside shore ocean sea
mountain hill peak
hike trek trail hiking
camp camping campfire tent
run jog race marathon running
swim pool swimming
bike bicycle cycling
car vehicle
plane flight fly
food meal dish cuisine eat snack
dinner supper
cook bake recipe cooking baking
dessert cake sweet
drink beverage
restaurant cafe diner
movie film cinema
book novel
read reading book
author writer
write author writing
story tale
song music tune
music band concert
concert gig show performance
perform performance stage
dance dancer dancing
paint painting art artwork draw
art artist artistic
photo picture image snapshot
game gaming gamer
sport athletic athlete
win victory champion
tournament competition contest championship
prize award trophy medal
school college university class education
study learn course
teacher instructor professor coach mentor
student pupil
degree diploma graduate graduation
exam test
doctor physician
hospital clinic
ill sick illness disease
injury injure hurt
health healthy wellness fitness
exercise workout gym fitness
diet nutrition
rest sleep nap relax
relax unwind chill calm
stress anxiety worry nervous anxious
sad upset depressed unhappy
happy glad joy joyful delighted
angry mad annoyed furious
afraid scared fear frightened
excited thrilled stoked eager excitement
love adore
favorite prefer preference favourite
dislike hate
hobby pastime interest leisure
start begin launch
finish complete end done
stop quit
create make build craft
fix repair mend
help assist aid support
volunteer charity community
donate donation charity contribute
gift present
receive get
plan intend upcoming
goal aim target objective dream
decide choose decision choice
choose pick select
try attempt
meet encounter
party celebration celebrate
religion religious church faith
big large huge
small little tiny
beautiful gorgeous lovely stunning
difficult hard tough challenging
challenge obstacle hurdle difficulty struggle setback
easy simple
problem issue trouble
accident crash
advice tip suggestion recommend
recommend suggest recommendation
talk chat discuss conversation speak
believe belief opinion view
remember recall memory reminder remind
feeling emotion
inspire motivate encourage inspiration motivation
change transform transformation
improve progress
lose loss
die death pass funeral grief
born birth pregnant
clothes clothing outfit apparel fashion
shoe sneaker boot
jewelry necklace ring bracelet
color dye
plant garden gardening flower
tree forest woods
near close nearby
job interview hire promotion
promote promotion
nickname name
tattoo ink
instrument guitar piano violin drum
class workshop lesson course
setback failure fail
proud pride
hometown hometown origin roots
own possess
trouble hardship
meditate meditation yoga mindfulness
author writer novelist
script screenplay
"""

_DEVELOPERS = """
部署 上线 发布 发版 deploy release ship rollout publish
回滚 回退 恢复 还原 rollback revert restore
编辑器 editor ide
电脑 计算机 机器 开发机 笔记本 computer laptop pc mac macbook
操作系统 系统 os linux macos windows
数据库 库 database db 主库
表结构 结构变更 结构 schema
迁移 migration migrate
端口 port
缓存 cache
队列 queue mq 消息队列
异步 async
日志 log logging
监控 monitor monitoring observability
告警 报警 警报 alert alarm
测试 test testing 用例 单测
覆盖率 coverage
构建 编译 打包 build compile
依赖 依赖包 dependency package
包管理 package manager
镜像 image docker
容器 container docker
集群 cluster kubernetes k8s
实例 副本 节点 instance replica pod node
服务器 server 主机 host
限流 频率限制 访问频率 速率 rate limit throttle
网关 gateway
接口 api endpoint
请求 访问 调用 request call
延迟 响应时间 耗时 latency slow
超时 timeout
重试 再试 retry
密钥 密码 口令 凭据 key secret password credential
令牌 token
登录 登陆 鉴权 认证 login signin auth authentication
权限 permission access
账号 帐号 账户 account
提交 commit
分支 branch
合并 merge
合并请求 pr mr 拉取请求
评审 审查 审核 review 批准 approve approval
代码 源码 code source
仓库 repository
注释 comment
文档 document documentation
规范 规则 约定 风格 convention style rule guideline
格式化 format formatter
缩进 indent indentation tab
命名 名字 名称 name naming
变量 variable
函数 方法 function method
框架 framework
前端 frontend
后端 backend 服务端
图表 图 chart plot graph
看板 dashboard
移动端 手机 app mobile
崩溃 闪退 crash
故障 出问题 问题 事故 incident outage failure
错误 缺陷 bug error
性能 performance
优化 optimize optimization
备份 backup
安全 security
环境 environment env
生产 线上 生产环境 production prod
预发 staging
本地 local
配置 设置 config setting
语言 language
中文 汉语 chinese
英文 英语 english
版本 version
升级 更新 upgrade update
旧 老 旧的 老的 old legacy
新功能 新特性 功能 特性 feature
灰度 金丝雀 canary
下线 停掉 停用 弃用 废弃 deprecate retire sunset
负责人 主管 owner lead leader
团队 小组 team
会议 开会 meeting
值班 轮值 oncall
假期 休假 年假 放假 vacation leave holiday
地址 位置 存放 放在 目录 路径 address url path directory location folder
时间 什么时候 time when
截止 期限 deadline
每周 每星期 weekly
每天 每日 每晚 daily nightly
频率 多久 间隔 frequency interval
费用 价格 花费 成本 cost price
购买 采购 买 buy purchase
发票 抬头 invoice
公司 企业 company
训练 train training
数据集 训练集 训练数据 dataset
模型 model
协议 许可证 许可 license
开源 open source
工具 tool
命令行 终端 控制台 cli terminal shell console
插件 扩展 plugin extension
搜索 检索 查找 search
爬虫 抓取 crawler scrape
代理 proxy
邮件 邮箱 email mail
通知 推送 消息 notify notification
脚本 script
任务 定时任务 job task cron
偏好 喜欢 习惯 爱用 prefer preference
回复 回答 答复 answer reply response
个人信息 隐私 手机号 身份证 privacy
字符 字 character char
禁止 不允许 不要 不能 不许 forbid forbidden
原因 为什么 因为 why because reason
步骤 流程 过程 step process workflow
默认 缺省 default
开发 编写 写 develop
删除 移除 清理 delete remove
存储 保存 存 store storage save
主题 theme
快捷键 shortcut keybinding
域名 domain
支付 付款 payment pay
订单 order
用户 客户 user customer
审批 批准 approve
指标 metric
证书 certificate ssl tls
防火墙 firewall
浏览器 browser
线程 thread
进程 process
内存 memory ram
磁盘 硬盘 disk
网络 network
显卡 gpu
时区 timezone
目标 goal okr
面试 interview
工资 薪水 salary
上班 工作 work
下班 结束
名字 姓名 name
住址 住在 address live
生日 birthday
"""

_CHINESE = re.compile("[\u3400-\u9fff]")


def phrases() -> list[str]:
    """The Chinese entries of more than two characters, longest first; shorter ones are pairs of characters already."""
    entries = {entry for entry in (_EVERYDAY + _DEVELOPERS).split() if _CHINESE.search(entry) and len(entry) > 2}
    return sorted(entries, key=lambda entry: (-len(entry), entry))


@cache
def table() -> dict[str, tuple[str, ...]]:
    """Term to the terms that mean about the same."""
    found: dict[str, dict[str, None]] = {}
    for line in (_EVERYDAY + _DEVELOPERS).strip().splitlines():
        group = [stem(entry) for entry in line.split()]
        for term in group:
            found.setdefault(term, {}).update(dict.fromkeys(other for other in group if other != term))
    return {term: tuple(others) for term, others in found.items()}
