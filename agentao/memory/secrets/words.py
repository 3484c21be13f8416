"""The words around secrets, in many languages: names of secrets, what only speaks of them, services that hand out keys.

``NAMES`` is a table; the other strings are the insides of alternations in regular expressions.
"""

from __future__ import annotations

from typing import Literal

Name = Literal["password", "short", "secret", "login", "code", "key", "bare"]
"""What a name names: a password; the same by a short word (``pw``); a secret of any kind; a user whose password
follows; a PIN or other code; a key or token; ``key`` alone."""

_SUFFIX = (
    r"(?:[_-]?(?:\d{1,2}|prod|production|dev|staging|stage|test|live|local|main|old|new|primary|secondary|backup"
    r"|value|raw|plain|plaintext|b64|base64|str|root|admin|current|default|v\d))?"
)
_END = r"(?![A-Za-z0-9_]|-[A-Za-z]|\.[A-Za-z_])"
_ALONE = r"(?<![A-Za-z])"
_HUMP = r"(?:(?<![A-Za-z])|(?<=[a-z])(?=[A-Z]))"
"""A word of its own, or a hump of a camelCase name."""

_QUALIFIERS = (
    r"api|access|secret|private|auth(?:entication|orization)?|account|encryption|encrypt|decryption|signing"
    r"|signature|master|licen[cs]e|shared|storage|service|app|application|client|admin|session|consumer|subscription"
    r"|deploy|ssh|webhook|cookie|crypto|cipher|aes|hmac|jwt|rsa|root|user|server|project|bot|integration|activation"
    r"|product|recovery|backup|vault|unseal|pgp|gpg|wi-?fi|network|wpa|security|registration|rest|write|read|ingest"
    r"|team|organi[sz]ation|org|model|llm|ai|sdk|publish|push|live|prod|production|test|staging|sandbox|merchant"
    r"|payment|pre-?shared|symmetric|wireguard|wallet|ethereum|eth|bitcoin|btc|接口|访问"
)
_CODE_QUALIFIERS = (
    r"access|door|gate|alarm|entry|entrance|unlock|security|verification|confirmation|one[- ]time|otp|2fa|mfa|sms|login"
    r"|backup|recovery|rescue|scratch|emergency|voicemail|lock|safe|garage|auth|activation|building|keypad|pin"
)

SERVICES = (
    r"openai|azure(?: openai)?|anthropic|claude|gemini|vertex|deepseek|mistral|cohere|groq|xai|grok|perplexity"
    r"|openrouter|together|fireworks|replicate|hugging ?face|stability|elevenlabs|deepgram|assemblyai|pinecone"
    r"|weaviate|qdrant|langsmith|langfuse|wandb|weights & biases|kimi|moonshot|zhipu|智谱|glm|minimax|dashscope|qwen"
    r"|通义|千问|baidu|百度|文心|volcengine|火山|doubao|豆包|siliconflow|硅基流动|讯飞|iflytek|tencent|腾讯云?"
    r"|aliyun|alibaba(?: cloud)?|阿里云|huawei(?: cloud)?|华为云|七牛|qiniu|又拍|高德|amap|aws|amazon|gcp|google(?:"
    r" cloud| maps)?|firebase|cloudflare|digitalocean|linode|vultr|hetzner|ovh|heroku|vercel|netlify|render|fly\.io"
    r"|railway|supabase|neon|planetscale|upstash|mongodb(?: atlas)?|snowflake|databricks|confluent|github|gitlab"
    r"|bitbucket|gitee|npm|pypi|docker ?hub|circleci|travis|jenkins|buildkite|codecov|sonar(?:qube|cloud)?|snyk"
    r"|sentry|datadog|new ?relic|grafana|splunk|honeycomb|dynatrace|pagerduty|opsgenie|rollbar|logdna|loggly|sumo"
    r" ?logic|elastic|vault|doppler|okta|auth0|clerk|stytch|slack|discord|telegram|twilio|sendgrid|mailgun|mailchimp"
    r"|postmark|mandrill|brevo|resend|mailjet|vonage|nexmo|plivo|messagebird|intercom|zendesk|freshdesk|hubspot"
    r"|salesforce|segment|mixpanel|amplitude|posthog|algolia|mapbox|here maps|stripe|paypal|square|braintree|adyen"
    r"|plaid|razorpay|coinbase|binance|kraken|etherscan|infura|alchemy|ethereum|shopify|woocommerce|notion|linear"
    r"|figma|airtable|asana|jira|atlassian|trello|clickup|monday|dropbox|box|contentful|sanity|typeform|dingtalk"
    r"|钉钉|feishu|飞书|lark|wecom|企业微信|微信|wechat|支付宝|alipay|微博|weibo|facebook|twitter|spotify|youtube"
    r"|tmdb|openweather(?:map)?|newsapi|serp(?:api|er)|tavily|exa|shodan|virustotal|ipinfo|maxmind|zoom|telnyx"
    r"|fastly|bunny|cloudinary|imgur|unsplash|todoist|tailscale|ngrok|nvidia"
)

UUID_SERVICES = (
    r"heroku|postmark|snyk|codecov|volcengine|火山(?:引擎)?|方舟|doubao|豆包|exa|wakatime|pinecone|launchdarkly"
    r"|scaleway|splunk"
)
"""Services whose keys are plain UUIDs."""

NAMES: tuple[tuple[Name, str, str, str], ...] = (
    # the name, literals that give it away (small letters, parted by |), pattern from there on, what stands before
    (
        "password",
        "pass",
        r"pass[ _-]?words?|passw[o]?rds?|passwd|passphrases?|pass[ _-]phrases?|pass[ _-]?codes?|passwort"
        r"|passord(?:et)?",
        "",
    ),
    ("secret", "secret", r"secrets?", _HUMP),
    ("secret", "cred", r"credentials?|creds?", _HUMP),
    ("password", "kennwort|wachtwoord|lösenord|salasana|heslo|şifre|contrase", r"\w{5,11}", _ALONE),
    ("password", "senha|clave", r"senhas?|claves?", _ALONE),
    ("password", "schlüssel", r"schlüssel", r"(?i:wlan|wi-?fi|netzwerk)[ -]?$"),
    ("password", "de passe", r"de passe", ""),
    ("password", "hasło|haslo", r"has[łl]o(?=[ ]?[:=])", _ALONE),
    ("password", "t khẩu|t khau", r"t kh\w+", ""),
    ("password", "kata sandi", r"kata sandi", ""),
    ("password", "парол", r"парол\w{1,3}", ""),
    ("password", "κωδικός|סיסמה|पासवर्ड|รหัสผ่าน", r"[^\s:=]{4,10}", ""),
    ("password", "كلمة", r"كلمة (?:المرور|السر)", ""),
    ("password", "密码|密碼|口令|暗号|暗语|账密", r"..", ""),
    ("password", "パスワード|暗証番号|비밀번호|패스워드", r"[^\s:=はは은는이가]{4,5}", ""),
    ("password", "암호", r"암호", ""),
    ("secret", "zugangsdaten|identifiants", r"zugangsdaten|identifiants", _ALONE),
    ("secret", "登录信息|登陆信息", r"....", ""),
    ("password", "requirepass|masterauth|identified", r"requirepass|masterauth|identified by", _ALONE),
    ("password", "psk", r"psk", _ALONE),
    ("short", "pass", r"pass|passw", _HUMP),
    ("password", "pwd|pw|mdp|pswd|pword", r"pwd|pw|mdp|pswd|pword", _HUMP),
    ("key", "token", r"tokens?", _HUMP),
    ("key", "bearer|authoriz", r"bearer|authorization", _ALONE),
    ("key", "密钥|秘钥|密匙|私钥|令牌|凭证|凭据", r"..", ""),
    ("key", "授权码|访问码|激活码|序列号", r"...", ""),
    (
        "key",
        "トークン|シークレット|秘密鍵|アクセスキー|토큰|시크릿|токен",
        r"トークン|シークレット|秘密鍵|アクセスキー|토큰|시크릿|токен\w?",
        "",
    ),
    ("key", "ключ", r"ключ(?: api)?", r"(?<!\w)"),
    (
        "key",
        "key",
        r"keys?",
        rf"(?<![A-Za-z])(?:{_QUALIFIERS}|{SERVICES})[ _.-]{{0,2}}(?:api[ _-]?)?$|(?<=[a-z])(?=K)|api$",
    ),
    ("bare", "key", r"keys?(?=[ ]?(?:[:=(（`是为]|is )|[ ][A-Za-z0-9+/=_-]{20}|[ ]?[\u4e00-\u9fff])", r"(?<![\w-])"),
    (
        "code",
        "pin",
        r"(?-i:PIN)(?:[ -]?(?:code|number|码))?|pin[ -]?(?:code|number|码)|pin(?=(?:[ ](?:for|of|to)[ ][\w"
        r" ]{1,30})?[ ]?(?:is|:|=)[ ]?\d{4})",
        _ALONE,
    ),
    ("code", "code|combination", r"codes?|combination", rf"(?<![A-Za-z])(?:{_CODE_QUALIFIERS})[ _-]$"),
    ("code", "combination", r"combination(?=[ ](?:of|for|to)[ ](?:the|my|our)[ ]\w)", _ALONE),
    ("code", "cvv|cvc", r"cv[vc]2?", _ALONE),
    ("code", "验证码|动态码|安全码|提取码|开门码|解锁码|恢复码|备用码|救援码|取件码", r"...", ""),
    ("code", "门禁|暗証", r"门禁码?|暗証", ""),
    ("code", "인증번호|코드", r"인증번호|접근 코드|코드", ""),
    ("login", "login|log in|sign in", r"login|log in|sign in", _ALONE),
    ("login", "admin|root|administrator|postgres|ubuntu|guest", r"\w{4,13}", r"(?<![\w/.@-])"),
    ("login", "账号|帐号|账户|登录|登陆|后台|管理员|用户名", r"管理员|用户名|..", ""),
)

NAME_END = _SUFFIX + _END

HASH_LABELS = (
    r"commits?|sha-?\d{0,3}|md5|hash(?:es)?|digests?|checksums?|revision|rev|fingerprint|e-?tags?|[ug]uid"
    r"|(?<![a-z])ids?|identifier|trace|span|request|req|build|image|tags?|integrity|blob|tree|object|branch|isbn|doi"
    r"|version|serial(?: number)?|model|files?|folder|document|docs?|page|sheet|video|address|wallet|tx|transaction"
    r"|block|tenant|zone|channel|workspace|customer|order|ticket|instance|device|bucket|release|public key|pubkey"
    r"|site ?key|publishable key|nonce|salt|cursor|sid|arn|container|pod|node|layer|snapshot|ref|merged?|pinned(?:"
    r" at| to)?|rolled back to|reverted?|events?|databases?|playlists?|albums?|tracks?|panels?|dashboards?|boards?"
    r"|groups?|lists?|campaigns?|contacts?|members?|accounts?|collections?|index|queues?|topics?|functions?"
    r"|templates?|forms?|surveys?|cases?|shops?|places?|maps?|styles?|layers?|installations?|repos?|repository|runs?"
    r"|jobs?|workflows?|pipelines?|packages?|sites?|domains?|clusters?|networks?|machines?|conversations?|chats?"
    r"|threads?|messages?|posts?|articles?|stories|story|comments?|items?|rows?|records?|views?|assets?|photos?"
    r"|clips?|episodes?|feeds?|calendars?|meetings?|rooms?|tables?|users?|groups?|teams?|--recv-keys?|keyserver"
    r" \S{1,60}|key id|cherry-pick(?:ed)?|checkout|deployment|提交|哈希|摘要|校验和?|指纹|编号|版本|追踪|地址|公钥"
    r"|工单|订单号?|单号|回滚到|镜像|标识|客户端 ?id"
)
"""What a long random value may be, other than a secret, when one of these stands right before it."""

AFTER_NAME = (
    r"polic(?:y|ies)|lengths?|limits?|budgets?|counts?|managers?|management|resets?|fields?|hash(?:es|ed|ing)?"
    r"|files?|paths?|urls?|uris?|endpoints?|names?|ids?|types?|rotations?|expir\w{1,6}|ttl|lifetime|generators?"
    r"|generation|strength|requirements?|rules?|hints?|prompts?|protected|protection|stores?|storage|vaults?"
    r"|locations?|based|auth|authentication|buckets?|usage|rings?|chains?|pairs?|sizes?|formats?|prefix(?:es)?"
    r"|schemes?|handl\w{2,4}|validat\w{2,4}|check(?:s|er|ing)?|pages?|screens?|forms?|dialogs?|box(?:es)?|inputs?"
    r"|columns?|headers?|services?|servers?|scann\w{2,4}|leaks?|holders?|owners?|changes?|sharing|windows?|streams?"
    r"|count\w{2,4}|costs?|prices?|rates?|estimat\w{1,4}|per|embeddings?|fingerprints?|agents?|exchange|bindings?"
    r"|maps?|space|less|free|placeholders?|variables?|env|settings?|references?|refs?|engine|scopes?|claims?|issuer"
    r"|audience|introspection|revocation|cache|dance|flow|logins?|complexity|entropy|history|entry|entries|algorithm"
    r"|escrow|recovery|removal|support|tests?|feature|bug|issue|errors?|mismatch|middleware|tables?|is set"
)
"""``password policy``, ``token budget``: with one of these behind it, a name only speaks of secrets."""

AFTER_NAME_ZH = (
    r"[ ]?(?:策略|长度|规则|管理|重置|找回|强度|位数|哈希|加密|文件|路径|字段|输入框|框|过期|有效期|轮换|数量|预算"
    r"|上限|消耗|用量|计数|成本|生成|校验|器|学|本|机制|保护|登录|桶|环|串|盒|箱里|放在|存在|存放|找|要|不|由|至少"
    r"|必须|应|已经过期)"
)

_NOT_A_PASSWORD_TEXT = (
    "password passwords passwd pass secret secrets token tokens key keys none null nil undefined true false yes no"
    " required optional empty unset string str text bool boolean int integer number bytes any object unknown n/a na"
    " tbd hidden default auto bearer basic oauth jwt prompt interactive ask asked asking see stored saved kept lives"
    " located managed rotated encrypted hashed expired invalid wrong incorrect missing weak strong same different"
    " unchanged changed shared bitwarden keepass keepassxc 1password lastpass vault dashlane keychain enpass sops"
    " kms ssm hsm env environment passwort kennwort contraseña senha wachtwoord hasło heslo lösenord passord"
    " salasana username user login email name changeme change_me change-me test dummy example disabled enabled never"
    " always manual digest plaintext plain"
)
NOT_A_PASSWORD = frozenset(_NOT_A_PASSWORD_TEXT.split())
"""Values that stand where a password could and are none, in lower case."""

_FUNCTION_WORDS_TEXT = (
    "the a an and or but if then else when while for from with without within into onto over under about above below"
    " after before between through during until since of in on at by to as is are was were be been being has have"
    " had do does did can could may might must shall should will would not no nor only own same so than too very"
    " just also this that these those here there where which who whom whose what why how all each every both few"
    " more most other some such any it its he she they them his her their our your my we you i me him us let lets"
    " please ask see use used using get got give given put set keep kept store stored find found look check make"
    " made need needs want contact write read send sent call tell change changed rotate rotated minimum maximum"
    " least characters letters digits words symbols long short empty required value values field fields user users"
    " team admin manager vault"
)
FUNCTION_WORDS = frozenset(_FUNCTION_WORDS_TEXT.split())
"""Words that build sentences about passwords and stand in no passphrase."""
