"""Words that may stand for one another in a report and its source, English and Chinese.

Everyday words of change, comparison, action and telling; no names and nothing of one subject.
A word of two meanings is left out, or stands with the commoner one.
"""

from __future__ import annotations

from typing import Final

from deepassay.protocols.stems import stem

_GROUPS = """
increase rise grow climb gain expand raise surge boost soar jump escalate
decrease decline drop shrink reduce fall diminish slump dwindle
cut lower
improve enhance better
worsen deteriorate degrade
start begin commence launch initiate onset
end finish conclude conclusion complete completion cease terminate
stop halt discontinue
close shut closure
open inaugurate
buy acquire purchase acquisition takeover
sell divest
build construct manufacture produce make erect
create generate
found establish founder
show demonstrate reveal prove indicate
find discover detect observe
say argue contend assert claim
announce declare
warn caution
believe think consider regard
expect predict forecast project anticipate
suggest propose recommend advise
decide determine
agree consent
approve accept endorse
reject refuse decline turndown
allow permit let enable authorise authorize
ban prohibit forbid
require need oblige must mandatory compulsory
use employ utilise utilize apply usage
get receive obtain
keep retain maintain preserve
remain stay continue
have possess own owner
hold contain store
include comprise incorporate
consist compose
cover span
reach achieve attain
join enter
leave depart quit
move transfer relocate shift
carry transport convey
give grant award
provide supply furnish
pay finance fund
spend spending expenditure
cost price expense
earn income earnings revenue
money fund funds funding
replace substitute swap
change alter modify
repair fix mend
damage harm
destroy demolish ruin
remove delete eliminate
protect guard
prevent avert avoid
help assist aid
support back
oppose resist
attack assault raid
defeat beat overcome
win victory
lose loss
kill death die
injure wound
choose select pick opt
recruit enrol enroll
hire employee staff worker workforce
dismiss fire sack
lead head command
operate run function
happen occur
cause trigger provoke
result outcome consequence
reason explanation
effect impact influence
affect
risk danger hazard
problem issue difficulty trouble
disease illness sickness
doctor physician
patient
drug medicine medication
treat treatment therapy
trial study experiment investigation research
researcher scientist investigator author
test examine check inspect
measure gauge
count
compare comparison versus
differ difference
similar alike
equal identical
big large great huge bigger
small little tiny smaller
fast quick rapid speed
slow sluggish
expensive costly dear
cheap inexpensive
rich wealthy affluent
poor impoverished
old elderly aged
young juvenile
new novel
early
previous earlier former prior
next following subsequent
last final
recent latest
whole entire total overall
part portion share proportion fraction
half
main chief principal primary major key mainly chiefly mostly primarily
important significant crucial
frequent common often usual
rare seldom infrequent
average mean
maximum top peak
minimum
limit ceiling cap
sufficient adequate
additional extra further
several multiple various
single sole
annual yearly year
month monthly
week weekly
day daily
district area region zone
city town
country nation
home house household dwelling
building structure
factory plant
shop store
firm company business corporation enterprise
government administration
law legislation statute
rule regulation
court tribunal
judge justice
contract agreement
meeting session
vote ballot
member
leader boss
child kid
parent
pupil student
school
teacher instructor
people person individual human
man
woman female
inhabitant resident population
tourist visitor
customer client consumer
car vehicle automobile
lorry truck
road street
journey trip travel
ship vessel boat
plane aircraft
job post position occupation
wage salary
tax levy
loan credit
debt borrowing borrow
profit
goal aim objective target purpose
plan scheme programme program
method approach technique
step stage phase
type kind sort
amount quantity volume
number figure
rate ratio
capacity
output production yield
power electricity energy
heat warmth warm
cold chilly
light illuminate
fire blaze
storm
depth deep
width wide
length long
height high
weight weigh
near close
far distant
inside within
outside
back return
send dispatch deliver
collect gather
search seek
meet encounter
speak talk
write author
read
see view
hear
learn
teach
forget
begin
try attempt
fail failure
succeed success
solve resolve
answer reply respond response
ask request demand
call name
describe depict
publish release issue
record register
list
film footage video
picture image photo photograph
sign
permit licence license
vacancy vacant empty
exceed surpass outnumber
accident incident
live reside dwell
eat feed diet
breed reproduce
fully completely entirely
extinct extinction
withdraw withdrawal retreat
surround besiege siege
attribute ascribe blame
postpone delay
eligible entitled qualify
terminate
merge merger combine
divide split
connect link
sturdy strong robust
weak feeble
brief short
sea ocean marine
"""
_GROUPS_HAN = """
上升 增长 增加 提高 上涨 提升 增至 升至 升到 上调 上浮 攀升
下降 减少 降低 下跌 下滑 回落 缩小 降至 降到 下调 缩减
开始 启动 动工 开工
开通 运营 投运 启用
结束 完成 竣工 建成
关闭 停业 关停
使用 采用 利用 运用
收购 并购 买下
购买 买入 购入 购置
出售 卖出
建设 修建 建造 兴建
成立 创立 创建 创办
发现 观察
表明 显示 证明 证实
认为 指出 表示 强调 提出
宣布 公布 发布 公告
预计 预期 预测 估计
导致 造成 引起 引发
由于 因为
影响 作用
允许 准许
禁止 严禁
批准 通过 同意
拒绝 否决 驳回
需要 必须 应当
包括 包含 涵盖
达到 达成
获得 取得 得到
提供 供给
支持 赞成
反对 抵制
改善 改进 优化
保持 维持
继续 延续
停止 中止 终止
推迟 延期 延后
取消 撤销
选择 选取
分配 分派
运送 运输
居住 生活
死亡 去世
出生 诞生
担任 出任
率领 带领 指挥
击败 战胜 打败
占领 攻占
俘虏 被俘
撤退 撤军
生长 生于
分布 见于
主要 首要
大约 左右 大概 将近
全部 所有 一切
部分 一部
多数 大多
仅仅 只有 只是
最高 最大 最多
最低 最小 最少
首次 首个 第一
最后 最终
目前 现在 如今
以前 之前 此前
以后 之后 此后
每年 年均 全年
每天 每日 日均
费用 成本 花费 支出
价格 售价 单价 价钱
收入 营收
利润 盈利
亏损 赤字
比例 比重 占比
数量 数目
水平 程度
公司 企业 厂商
政府 当局
城市 市区
居民 市民 住户
老人 老年
儿童 孩子
学生 学员
教师 老师
患者 病人 受试
研究 调查 试验
学者 专家
员工 职工 雇员
工人 矿工
原因 缘由
结果 成果
问题 难题
措施 办法
计划 规划 方案
目标 目的
项目 工程
面积 范围
时间 时长
期限 时限
规定 规则
标准 准则
申请 请求
贷款 借款
付费 计费 收费
优惠 折扣
乘客 旅客
车站 站点
持续 连续
快速 迅速
缓慢 迟缓
显著 明显
稳定 平稳
"""


def _canonical() -> dict[str, str]:
    """The first word of its group, stemmed, for each word; a word's first group holds."""
    found: dict[str, str] = {}
    for line in _GROUPS.strip().splitlines():
        words = [stem(word) for word in line.split()]
        for word in words:
            found.setdefault(word, found.get(words[0], words[0]))
    for line in _GROUPS_HAN.strip().splitlines():
        words = line.split()
        for word in words:
            found.setdefault(word, words[0])
    return found


_CANONICAL: Final = _canonical()
_MEMBERS: Final[dict[str, tuple[str, ...]]] = {}
for _word, _first in _CANONICAL.items():
    _MEMBERS[_first] = (*_MEMBERS.get(_first, ()), _word)


def canonical(key: str) -> str:
    """The word by which a stemmed word, or a pair of characters, is compared."""
    return _CANONICAL.get(key, key)


def members(key: str) -> tuple[str, ...]:
    """All words that are compared by a word: itself, if it has no others."""
    return _MEMBERS.get(key, (key,))
