"""Words so common that sharing one of them says little: data for ``question``."""

from __future__ import annotations

_ENGLISH = """
able access according account across act action add added age air al allowed alone amazing among amount answer area
areas art article ask asked attack attention australia available average baby bad ball bank base based beautiful
became become bed began behind believe best better big bill bit black blue board body book books born box boy boys
break bring brother brought build building built business buy call called came car card care career case cases cause
center central certain chance change changed changes character check chief child children choice church city class
clear close club code college come comes coming common community companies company complete considered continue
control cool cost council countries country county couple course cover crazy created culture cup current currently
cut daily dark data date daughter day days deal decided decision deep department design development die died
different difficult director district dog door drive due early earth east easy eat economic education election end
energy enjoy entire especially europe event events evidence exactly example experience eyes face fact fall family
fans far fast father feel feeling felt field fight figure film final finally financial find fine fire first five
follow followed following food football force foreign forget form former forward found four free friend friends
front full fun future game games gave general get gets getting girl girls give given gives giving go goal god goes
going gold gone good got government great green ground group groups growth guess guy guys hair half hand hands
happen happened happy hard hate head health hear heard heart held hell help high higher history hit hold home hope
hospital hot hour hours house huge human idea important include included including increase india industry
information inside interest international internet involved issue issues job keep key kids knew know known knows la
land language large last late later law lead league learn leave led left legal level life light likely line list
listen little live lives living local lol long longer look looked looking looks lose loss lost love low lower made
main major make makes making man management mark market married match matter mean means media medical meet meeting
member members men met middle million mind minister minutes miss missing model modern mom moment money month months
morning mother move movie music name national natural need needed needs never new news next nice night non north
note number offer office officer official oil old ones online open order original outside page paid pain paper
parents park part parts party pass past paul pay people percent perfect performance period person personal phone
pick picture piece place places plan play played player players playing point points policy political poor popular
position possible post power practice present president press pretty price private probably problem problems process
production products professional program project property provide public published put quality question questions
race range rate read reading ready real reason received recent record red related relationship release released
remember report research respect response rest result results return review right rights risk road role room round
rules run running safe said save saw say saying says school schools science sea season second security see seeing
seem seems seen self send sense sent series serious service services set seven several share short shot show shows
side sign similar simple simply single sir site situation six size sleep small social society son song soon sorry
sound source south space special staff stage stand star start started starting state states stay step stop story
straight street strong students study style success summer super support sure system systems table take taken takes
taking talk talking tax team technology tell ten term terms test think thinking third thought three time times title
today told took top total town trade training tried true trust truth try trying turn turned tv two type understand
union united university use used using usually value various version video view visit voice vote wait waiting walk
wall wanna want wanted wants watch water ways website week weeks went west white whole wife win wish woman women won
word words work worked working works world worth writing written wrong wrote year years york young
"""
ENGLISH = frozenset(_ENGLISH.split())
"""The most frequent English words besides the stop words, by the usual counts (about one in 10,000 and more)."""

_CHINESE = """
今天 明天 昨天 后天 前天 今年 去年 明年 今晚 早上 上午 中午 下午 晚上 周末 最近 刚才 刚刚 马上 时间 时候 有时 每天
朋友 家里 别人 人们 有人 东西 事情 地方 问题 办法 方法 方式 情况 原因 结果 意思 关系 样子 部分 方面 知道 觉得 认为
以为 感觉 喜欢 希望 想要 打算 准备 开始 继续 结束 完成 成为 变成 出现 发生 进行 使用 看到 听到 看看 听说 说话 聊天
帮忙 帮助 介绍 选择 决定 了解 认识 学习 生活 回家 出去 出来 起来 过来 回来 进来 休息 出门 好吃 好看 好玩 好用 好听
不错 特别 非常 比较 容易 简单 麻烦 重要 主要 不同 其他 所有 全部 许多 很多 几个 两个 第一 最后 最好 最大 附近 中间
里面 外面 上面 下面 旁边 前面 后面 左右 以内 以上 以下 心情 活动 机会 注意 关于 根据 通过 为了 由于 对于 其实 其中
只有 只是 只要 还有 还要 不用 不想 不行 不好 不过 怎么办 那么 这么 多大 多长 多少钱 便宜 有趣 一天 一次 一种 一年
适合 值得 需不需要 写一 一首 一封 一篇 一份 一道 一部 一本 一张 句话 讲个 个笑 笑话 教我 给我 帮我 做个 写个 来个
哪天 几点 几天 大概 差不多 总是 经常 有点
"""
CHINESE = frozenset(_CHINESE.split())
"""Chinese words, and pairs of characters, that stand in talk about anything."""

_ASIDES = """
ask asked asking begin begins continue continued give gives giving given help helped helping helps know known knows late
look looked looking looks mean means moment new ready say saying says see seeing seen show showing shows sound sounds
start started starting starts tell telling tells think thinking thinks time today tomorrow tonight try trying wait
yesterday
今天 明天 昨天 后天 前天 今晚 今年 明年 去年 刚才 刚刚 马上 时间 知道 觉得 开始 继续 帮助 帮忙 能帮 能 给 有 用 做 去 来
到 要 会 让 请 看 想 说 讲 问 帮 叫 好
"""
ASIDES = frozenset(_ASIDES.split())
"""Words that are said about anything, or point from the day of speaking: nothing is recalled for their sake."""

LIGHT = frozenset(("use", "used", "uses", "using"))
"""Words without which a question asks the same."""
