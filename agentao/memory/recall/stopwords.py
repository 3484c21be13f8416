"""Words that hold a sentence together and say nothing about its subject: data for the tokenizer."""

from __future__ import annotations

_ENGLISH = """
a about above actually after again against ago ain't all almost along already also although always am an and another
any anybody anyone anything anyway are aren't around as at away back be because been before being below between both
but by can can't cannot could couldn't did didn't do does doesn't doing don't done down during each either else enough
etc even ever every everybody everyone everything few for from further gonna gotta had hadn't has hasn't have haven't
having he he'd he'll he's hello her here here's hers herself hey hi him himself his how how's however i i'd i'll i'm
i've if in instead into is isn't it it'd it'll it's its itself just kind kinda least less let let's like lot lots many
may maybe me might mine more most much must my myself near neither no nobody none nor not nothing now of off often oh
ok okay on once one one's only onto or other others otherwise our ours ourselves out over own per perhaps please quite
rather really s same shall she she'd she'll she's should shouldn't since so some somebody somehow someone something
sometimes still stuff such t than thank thanks that that's the their theirs them themselves then there there's these
they they'd they'll they're they've thing things this those though through till to together too toward towards under
until up upon us very via was wasn't way we we'd we'll we're we've well were weren't what what's whatever when when's
where where's whether which while who who's whom whose why why's will with within without won't would wouldn't yeah
yes yet you you'd you'll you're you've your yours yourself yourselves
"""
ENGLISH = frozenset(_ENGLISH.split())
"""English function words, contractions and fillers, folded."""

_FILE_ENDINGS = """
bat c cc cfg conf cpp css csv db dll doc docx env exe gif go gz h hpp htm html ini ipynb jar java jpeg jpg js json jsonl
jsx kt lock log md mjs pdf php png pptx ps1 py pyc pyi rb rs rst scss sh so sql sqlite svg swift tar tgz toml ts tsv tsx
ttf txt vue wasm webp whl xls xlsx xml yaml yml zip
"""
FILE_ENDINGS = frozenset(_FILE_ENDINGS.split())
"""What stands behind the last dot of a file name; weak there, an ordinary word elsewhere."""

_CJK_PHRASES = """
为什么 怎么样 是不是 有没有 能不能 可不可以 要不要 会不会 多少个 什么时候 什么样 是多少 什么 怎么 怎样 多少
多久 哪个 哪些 哪里 哪儿 哪家 哪种 如何 是否 为何 何时 谁的 我们 你们 他们 她们 它们 咱们 自己 大家 这个 那个
这些 那些 这里 那里 这样 那样 这种 那种 这类 那类 可以 可能 应该 需要 必须 一个 一下 一些 一点 一定 一般 一样
一直 一起 因为 所以 但是 而且 如果 或者 还是 以及 并且 然后 没有 不是 不要 不能 不会 已经 正在 现在 目前 当时
当初 之前 之后 以前 以后 的话 时候 一开始 到底 究竟 请问 告诉 帮我 です ます でした ました ください という
について から まで
"""
CJK_PHRASES = tuple(_CJK_PHRASES.split())
"""Chinese and Japanese phrases that only ask or connect; longer ones are tried first."""

CJK_CHARS = frozenset(
    "的了吗呢吧啊呀哦么是在和与及或把被将就都也还很太更最我你您他她它们这那哪谁几之其而则且但并个只の"
)
"""Single characters that only connect."""
