"""Words of developers and of daily life in Chinese and English, one group in a line: data for ``synonyms``."""

from __future__ import annotations

GROUPS = """
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
命名空间 namespace
分区 partition
索引 index
事务 transaction
分表 拆表 分库 shard sharding
从库 只读库 副本 replica
单测 单元测试 unit
回归 端到端 自动化 regression e2e
联调 调试 debug debugging
断点 breakpoint
模块 库 包 package module library
公共 公用 共用 通用 shared common
文件夹 目录 folder directory
仓库 代码库 repository
流水线 持续集成 pipeline ci
图片 图像 照片 image picture
设计稿 原型 界面 ui mockup design figma
页面 界面 page ui
组件 控件 component widget
翻译 多语言 国际化 i18n translate translation locale
日文 日语 japanese
半夜 夜里 夜间 凌晨 night
早会 晨会 站会 standup
申请 审批 审核 request apply
满了 爆了 不足 full
预算 花费 费用 budget
过期 有效期 到期 失效 expire expiry expiration ttl
续期 续费 续签 renew renewal
绕过 跳过 skip bypass
检查 校验 验证 check verify validate lint
放量 分流 比例 流量 traffic
上传 upload
下载 download
上限 最大 最多 限制 不超过 limit maximum max
至少 最少 不低于 minimum min
孩子 女儿 儿子 小孩 宝宝 child daughter son
老婆 妻子 太太 wife
老公 丈夫 husband
父母 爸妈 爸爸 妈妈 parent
猫 橘猫 小猫 cat
狗 小狗 dog
宠物 pet
过敏 忌口 allergy allergic
午饭 外卖 吃饭 早饭 晚饭 meal lunch food
健身 锻炼 运动 跑步 gym exercise workout
住 常驻 居住 住在 家住 live reside address
上班 通勤 commute
书 看书 阅读 读书 book read
字体 字号 font
颜色 配色 color
深色 暗色 dark
键盘 keyboard
显示器 屏幕 monitor screen
联系 回消息 contact
年龄 多大 几岁 age
学校 大学 毕业 school university
职位 岗位 职业 职责 role title job
老板 上司 领导 经理 boss manager
同事 colleague coworker
客户 甲方 client customer
合同 协议 contract
法务 legal
报销 reimburse reimbursement expense
需求 requirement
产品经理 产品 pm
排期 计划 安排 schedule plan
机房 数据中心 datacenter region
域名 dns domain
负载均衡 balancer nginx
链路 追踪 调用链 trace tracing
采样 sample sampling
错误率 失败率 error
实验 experiment
向量 embedding vector
标注 label annotation
提示词 prompt
大模型 llm
离线 批处理 batch
实时 流式 realtime stream
定时 cron schedule
异常 报错 错误 exception error
参数 argument parameter
状态码 code
分页 每页 page pagination
排序 sort order
过滤 筛选 filter
并发 并行 concurrency parallel
锁 lock
泄漏 泄露 leak
重构 refactor
兼容 compatible compatibility
脱敏 隐私 mask privacy
审计 audit
白名单 whitelist allowlist
会话 session
环境变量 env
报表 看板 report dashboard
埋点 行为数据 track analytics
推送 push
短信 验证码 sms
主机 服务器 机器 host server
打印机 printer
安装 install
卸载 uninstall
启动 开启 打开 start enable
停止 关闭 关掉 stop disable
重启 restart reboot
修复 解决 fix
改动 修改 变更 更改 change modify
新增 添加 增加 add
撤销 取消 cancel undo
规划 方案 设计 design plan
收入 营收 revenue
开源库 开源组件 开源
技术栈 技术 选型 stack
最近 目前 当前 current
擅长 精通 熟悉 skill
称呼 名字 叫 name
风格 口味 偏好 style taste
简洁 简短 精简 concise brief short
详细 具体 detailed detail
"""
