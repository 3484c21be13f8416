"""Everyday English words that mean about the same, one group in a line: data for ``synonyms``."""

from __future__ import annotations

GROUPS = """
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
pet animal
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
color dye
plant garden gardening flower
tree forest woods
near close nearby
job interview hire promotion
promote promotion
nickname name
tattoo ink
class workshop lesson course
setback failure fail
proud pride
hometown hometown origin roots
own possess
trouble hardship
meditate meditation yoga mindfulness
author writer novelist
script screenplay
apologize apology sorry
argue argument disagree quarrel
thankful grateful appreciate gratitude
lonely alone isolated
tired exhausted drained
busy swamped hectic
rich wealthy
famous celebrity
quiet peaceful serene calm
loud noisy
clean tidy
delicious tasty yummy
vegan vegetarian
allergy allergic
museum gallery exhibit exhibition
hotel hostel accommodation
train railway
lake pond
river stream creek
sunset sunrise dusk dawn
barbecue bbq grill
ski snowboard
climb climbing
knit sew crochet
pottery ceramic clay
sculpture statue
adopt adoption foster
therapy therapist counseling counselor psychologist
speech talk presentation
election politics political vote
military army soldier veteran
law lawyer attorney legal
chef cook
developer programmer coder engineer software
entrepreneur startup founder
invest investor investment
advertise advertising marketing ad
follower fan audience
sponsor sponsorship endorsement endorse
soccer football
essay paper article
blog post
laptop computer
internship intern
roommate flatmate
neighbor neighborhood
ceremony event
festival fair
tradition custom culture cultural
heritage ancestry roots
symbol symbolize represent meaning
impact effect influence affect
reason motive cause
benefit advantage
role position title
skill talent ability
team group crew
lately recently
often frequently regularly
relationship dating
single divorced breakup
funeral grief mourning loss
hope wish
admire respect
advise mentor guidance guide
outdoors outdoor nature
ocean sea marine
bird parrot
garden yard
furniture sofa couch
decorate decoration decor
souvenir keepsake memento
collect collection
"""
