"""English forms that no ending rule reaches, and words that say when and how many: data for the tokenizer."""

from __future__ import annotations

_IRREGULAR = """
be am is are was were been being; have has had; do does did done; go goes went gone; get got gotten; make made; say
said; see saw seen; know knew known; think thought; take took taken; come came; give gave given; find found; tell
told; become became; leave left; feel felt; bring brought; begin began begun; keep kept; hold held; write wrote
written; stand stood; hear heard; mean meant; meet met; run ran; pay paid; sit sat; speak spoke spoken; lead led;
grow grew grown; lose lost; fall fell fallen; send sent; build built; understand understood; draw drew drawn; break
broke broken; spend spent; rise risen; drive drove driven; buy bought; wear wore worn; choose chose chosen; eat ate
eaten; seek sought; catch caught; teach taught; fight fought; sell sold; fly flew flown; ride rode ridden; sing sang
sung; swim swam swum; drink drank drunk; sleep slept; win won; throw threw thrown; forget forgot forgotten; forgive
forgave forgiven; show shown; shoot shot; shake shook shaken; wake woke woken; steal stole stolen; freeze froze
frozen; hide hid hidden; bite bit bitten; blow blew blown; tear tore torn; swear swore sworn; beat beaten; bend
bent; bleed bled; breed bred; burn burnt; cling clung; creep crept; deal dealt; dig dug; dream dreamt; feed fed;
flee fled; fling flung; forbid forbade forbidden; hang hung; kneel knelt; lay laid; lie lying; lend lent; light lit;
overcome overcame; prove proven; rebuild rebuilt; ring rang rung; rewrite rewrote rewritten; shrink shrank shrunk;
shine shone; slide slid; spin spun; split splitting; spring sprang sprung; stick stuck; sting stung; strike struck;
string strung; strive strove striven; sweep swept; swing swung; undergo underwent undergone; undertake undertook
undertaken; upset upsetting; weave wove woven; weep wept; withdraw withdrew withdrawn; learn learnt; spell spelt;
spill spilt; die died dying; tie tied tying; child children kids kid; person persons people; man men; woman women;
wife wives; husband hubby; life lives; knife knives; leaf leaves; shelf shelves; wolf wolves; half halves; foot
feet; tooth teeth; mouse mice; goose geese; datum data; index indices indexes; matrix matrices; vertex vertices;
analysis analyses; crisis crises; basis bases; thesis theses; hypothesis hypotheses; criterion criteria; medium
media; good better best; bad worse worst; happy happiness; colour color; favourite favorite fave; grey gray; centre
center; theatre theater; behaviour behavior; neighbour neighbor; honour honor; mom mum mommy mama; mother mothers;
dad daddy; grandma granny; photo pic pics photos photograph photography; biz business; vid video; tv television;
movie movies; application app apps; repository repo repos; configuration config configs; directory dir; database db;
document doc docs; documentation docs; environment env; kubernetes k8s; javascript js; typescript ts; postgresql
postgres
"""
_UNCHANGED = """
news evening evenings inning outing earring herring add added adding sky skies only early ugly international internal
universe universal organ organic organism emergence interval lateral bias succeed proceed exceed atlas cosmos paste
"""


def _forms() -> dict[str, str]:
    found: dict[str, str] = {}
    for group in _IRREGULAR.split(";"):
        base, *others = group.split()
        for form in others:
            found.setdefault(form, base)
    return found


IRREGULAR = _forms()
"""Form to base form, both folded; spelling variants and everyday short forms too."""

UNCHANGED = frozenset(_UNCHANGED.split())
"""Words that the ending rules would take for a form of another word."""

_TIMES = """
yesterday last week weeks month months year years day days hour hours minute minutes today tonight tomorrow next
recently weekend weekends morning afternoon evening night noon midnight january february march april june july august
september october november december monday tuesday wednesday thursday friday saturday sunday mondays tuesdays
wednesdays thursdays fridays saturdays sundays 年 月 日 号 点 天 星期 小时 分钟 凌晨 早上 上午 中午 下午 晚上 夜里
"""
TIMES = frozenset(_TIMES.split())
"""Words of a text that says when, folded."""

_NUMBERS = """
one two three four five six seven eight nine ten dozen hundred thousand million couple both few once twice half
一 二 两 三 四 五 六 七 八 九 十 百 千 万 半
"""
NUMBERS = frozenset(_NUMBERS.split())
"""Words of a text that says how many, folded."""
