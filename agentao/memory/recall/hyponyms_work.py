"""Kinds of things that developers work with and what belongs to them, English and Chinese: data for ``hyponyms``.

In each line stand the names of a kind and, behind the colon, what belongs to it; a line that begins with a blank goes
on with the one before.
"""

from __future__ import annotations

KINDS = """
language 语言 编程语言: python java javascript typescript rust golang kotlin swift ruby php scala haskell elixir
 erlang perl lua julia dart clojure zig ocaml fortran cobol matlab bash c++ c#
database db 数据库 主库 存储: postgresql mysql mariadb sqlite oracle mongodb redis cassandra dynamodb elasticsearch
 clickhouse duckdb snowflake bigquery cockroachdb tidb oceanbase supabase neo4j influxdb couchdb mssql
editor ide 编辑器: vim neovim nvim emacs vscode cursor pycharm intellij goland webstorm sublime zed helix nano xcode
 jetbrains eclipse notepad
shell terminal 终端: bash zsh fish powershell tmux iterm ghostty alacritty kitty wezterm nushell
framework 框架: django flask fastapi spring rails laravel nestjs react vue angular svelte nextjs nuxt remix flutter
 gin actix tornado pytorch tensorflow
frontend 前端: react vue angular svelte nextjs nuxt remix vite webpack tailwind echarts redux pinia antd
backend 后端: django flask fastapi spring gin rails laravel nestjs actix
formatter linter format lint style 格式化 风格 规范: ruff black prettier eslint gofmt rustfmt flake8 pylint isort
 biome clippy shellcheck
typechecker type 类型检查: mypy pyright tsc pyre
test testing 测试 单测: pytest unittest jest vitest mocha cypress playwright selenium junit testcontainers
 hypothesis tox nox locust k6 jmeter
package dependency 包管理 依赖: pip uv poetry conda pipenv npm pnpm yarn bun cargo maven gradle brew homebrew apt
 bundler composer
build bundler 构建 打包: webpack vite esbuild rollup make cmake bazel gradle maven ninja turbo
ci pipeline 流水线 持续集成: jenkins gitlab travis circleci argocd tekton buildkite teamcity
cloud hosting host 云 云服务 云厂商 托管: aws gcp azure aliyun vercel netlify cloudflare heroku digitalocean flyio
 阿里云 腾讯云 华为云
container cluster orchestration 容器 集群: docker podman kubernetes k8s containerd helm swarm nomad compose
queue broker mq 消息队列 队列 异步: kafka rabbitmq celery nats sqs pulsar rocketmq activemq redis
cache 缓存: redis memcached varnish cdn
gateway proxy webserver server 网关 代理: nginx kong envoy traefik caddy haproxy apache apisix
monitoring monitor observability metrics dashboard 监控 告警 指标: prometheus grafana datadog sentry newrelic zabbix
 opentelemetry jaeger kibana pagerduty skywalking loki
log logging 日志: structlog loguru kibana loki splunk elk logstash fluentd
crash error tracking 崩溃 闪退 异常: sentry bugsnag crashlytics bugly
orm: sqlalchemy prisma hibernate typeorm peewee sequelize tortoise gorm mybatis
migration schema 迁移 表结构: alembic flyway liquibase
auth login sso 登录 认证 鉴权: jwt oauth saml sso ldap keycloak okta auth0 openid cas 单点登录
secret credential 密钥 密码 凭据 机密: vault env keychain kms 1password bitwarden
search 搜索 检索: elasticsearch solr meilisearch algolia opensearch lucene fts5
chart charts visualization plot 图表 画图: echarts d3 matplotlib plotly highcharts chartjs seaborn grafana antv
protocol api 接口 协议: graphql grpc websocket http soap mqtt thrift
os platform system 操作系统 系统: linux ubuntu debian windows macos centos fedora android ios alpine redhat 鸿蒙
browser 浏览器: chrome firefox safari brave opera
machine computer laptop 电脑 机器 笔记本 开发机: macbook thinkpad imac m1 m2 m3 m4 xps surface mac dell lenovo
 台式机
phone 手机: iphone pixel galaxy 华为 小米 安卓
chat messenger im 聊天 沟通 群: slack teams discord 飞书 钉钉 企业微信 微信 telegram zoom
ticket tracker issue project 工单 项目管理 需求: jira linear trello asana notion github gitlab tapd 禅道
docs documentation wiki 文档 笔记: confluence notion obsidian sphinx mkdocs docusaurus readme 语雀 飞书文档
design 设计稿 原型 设计: figma sketch zeplin 蓝湖 墨刀 axure
repo repository vcs 仓库 代码托管: git github gitlab bitbucket gitee svn gerrit
license 许可证 协议: mit apache gpl bsd mpl lgpl agpl
flag rollout 灰度 开关: unleash launchdarkly canary 金丝雀
ml model training 模型 训练: pytorch tensorflow sklearn lightgbm xgboost keras bert transformer gpt llama qwen
 catboost 双塔
llm ai 大模型: gpt claude llama qwen gemini deepseek mistral openai anthropic ollama 通义 文心
format serialization 序列化 数据格式: json yaml toml xml csv protobuf parquet avro msgpack
mobile app 移动端 客户端: ios android flutter swift kotlin 鸿蒙 小程序 uniapp
state 状态管理: redux pinia riverpod bloc zustand vuex mobx
storage 对象存储 存储: s3 oss minio nas cos gcs ceph hdfs
pay payment 支付: stripe paypal alipay 支付宝 微信支付
scheduler job cron 定时任务 调度: airflow celery cron dagster prefect xxljob quartz
email mail 邮件 邮箱: gmail outlook sendgrid mailgun ses
deploy deployment 部署 发布 上线: argocd kubernetes k8s helm ansible terraform jenkins docker vercel
infrastructure iac 基础设施: terraform ansible pulumi chef puppet
keyboard 键盘: hhkb keychron filco
theme 主题 配色: dracula nord gruvbox solarized catppuccin monokai onedark
font 字体: jetbrains fira consolas menlo iosevka hack cascadia 思源
"""
