"""Kinds of things of daily life and what belongs to them, English and Chinese: data for ``hyponyms``.

In each line stand the names of a kind and, behind the colon, what belongs to it; a line that begins with a blank goes
on with the one before.
"""

from __future__ import annotations

KINDS = """
instrument 乐器: guitar piano violin cello drum drums flute clarinet saxophone sax trumpet trombone harp ukulele
 banjo keyboard bass accordion harmonica organ viola oboe bassoon mandolin synthesizer percussion 吉他 钢琴 小提琴
 大提琴 古筝 二胡 琵琶 笛子 长笛 萨克斯 尤克里里 架子鼓 贝斯 口琴 小号
sport 运动 体育: football soccer basketball baseball softball volleyball tennis badminton golf hockey rugby cricket
 lacrosse swimming surfing skiing snowboarding skating boxing kickboxing wrestling karate judo taekwondo fencing
 archery rowing sailing kayaking canoeing cycling running marathon triathlon gymnastics climbing bouldering yoga
 pilates squash bowling skateboarding snorkeling diving polo 足球 篮球 排球 网球 羽毛球 乒乓球 游泳 跑步 滑雪 马拉松
 骑行 瑜伽 健身 登山 攀岩 拳击
exercise workout fitness 健身 锻炼: yoga pilates running jogging gym cardio aerobics weights weightlifting crossfit
 treadmill kickboxing boxing zumba swimming cycling squat pushup stretching spinning 跑步 瑜伽 游泳 深蹲 撸铁
martial: karate judo taekwondo kickboxing boxing jiu aikido kung wrestling
activity hobby pastime interest leisure 爱好 兴趣 业余: painting drawing reading writing photography gardening
 cooking baking hiking camping fishing knitting sewing crochet pottery dancing singing gaming chess yoga running
 swimming cycling skiing surfing birdwatching woodworking carpentry calligraphy origami climbing skating bowling
 puzzle scrapbooking astronomy blogging kayaking sculpting collecting 摄影 画画 绘画 阅读 钓鱼 烘焙 做饭 书法 下棋
 唱歌 跳舞 跑步 爬山 徒步 露营 园艺 集邮
pet animal 宠物 动物: dog puppy cat kitten bird parrot hamster rabbit bunny turtle tortoise fish goldfish lizard
 gecko guinea ferret horse pony hedgehog iguana canary cockatiel 狗 猫 小狗 小猫 兔子 仓鼠 鹦鹉 金鱼 乌龟
animal wildlife 动物: lion tiger bear elephant giraffe zebra monkey gorilla wolf fox deer squirrel raccoon rabbit
 horse cow pig sheep goat chicken duck goose dolphin whale shark seal otter penguin eagle owl hawk parrot butterfly
 bee frog turtle lizard crocodile alligator kangaroo koala panda llama alpaca bison moose elk 老虎 狮子 大象 熊猫
 猴子 海豚 企鹅
breed dog 品种: labrador retriever poodle bulldog beagle husky shepherd terrier corgi dachshund chihuahua collie
 spaniel pug rottweiler boxer dalmatian pitbull golden doodle goldendoodle siamese persian 金毛 拉布拉多 柯基 哈士奇
 泰迪 橘猫 布偶
bird 鸟: parrot eagle owl hawk robin sparrow crow cardinal hummingbird pigeon dove swan heron falcon woodpecker
 finch
fruit 水果: apple banana orange strawberry blueberry raspberry cherry grape mango pineapple peach pear plum kiwi
 lemon lime watermelon melon avocado coconut pomegranate fig apricot 苹果 香蕉 橙子 草莓 葡萄 西瓜 芒果 桃子 樱桃
 榴莲 柠檬
vegetable 蔬菜: tomato potato carrot broccoli spinach kale lettuce cucumber pepper onion garlic zucchini squash
 pumpkin cabbage cauliflower celery eggplant mushroom pea bean corn asparagus radish beet 西红柿 番茄 土豆 萝卜 白菜
 菠菜 黄瓜 茄子 香菜
food dish meal cuisine recipe 食物 菜 美食: pizza pasta spaghetti lasagna burger sandwich salad soup steak chicken
 sushi taco burrito curry rice noodle noodles bread cheese egg eggs salmon shrimp lobster seafood stew risotto ramen
 dumpling barbecue pancake waffle omelette stir casserole roast fries hummus tofu turkey bacon sausage pie 火锅 烧烤
 寿司 拉面 米饭 面条 饺子 披萨 牛排 海鲜 米线 川菜 粤菜
dessert sweet snack treat 甜点 甜品 零食: cake cupcake cookie cookies brownie pie tart pudding icecream sundae
 chocolate candy donut pastry muffin cheesecake macaron croissant cobbler mousse tiramisu parfait gelato sorbet
 popcorn chips 蛋糕 冰淇淋 巧克力 饼干 布丁 薯片
drink beverage 饮料 喝: coffee tea water juice soda milk beer wine whiskey cocktail smoothie lemonade latte espresso
 cappuccino coke cola champagne vodka gin rum tequila matcha 咖啡 茶 奶茶 啤酒 果汁 可乐 牛奶 红酒 白酒 拿铁 美式
ingredient 食材 配料: flour sugar butter salt pepper garlic onion ginger cinnamon vanilla oil honey cheese cream egg
 milk basil oregano rosemary cumin paprika turmeric spice herb cocoa coconut chocolate tofu
breakfast lunch dinner: pancake waffle omelette toast cereal oatmeal sandwich salad soup pasta pizza steak
family relative 家人 亲戚 家庭: mother mom father dad sister brother son daughter wife husband grandmother grandma
 grandfather grandpa aunt uncle cousin niece nephew parents grandparents kids children baby twins sibling 妈妈 爸爸
 父母 儿子 女儿 老婆 老公 妻子 丈夫 哥哥 姐姐 弟弟 妹妹 奶奶 爷爷 外婆 外公 叔叔 阿姨 表哥 表姐 孩子
sibling: sister brother twin twins
parent 父母: mother mom father dad 妈妈 爸爸
child kid 孩子: son daughter toddler baby boy girl twins 儿子 女儿 宝宝
job profession occupation career work 职业 工作 岗位: teacher nurse doctor lawyer engineer programmer developer
 designer artist writer journalist chef waiter waitress barista bartender accountant banker manager consultant
 architect electrician plumber carpenter mechanic firefighter policeman officer soldier pilot driver cashier
 librarian scientist researcher professor therapist counselor dentist veterinarian pharmacist photographer actor
 actress musician singer dancer coach trainer salesman realtor entrepreneur analyst secretary receptionist intern
 freelancer director producer editor marketing 老师 教师 医生 护士 律师 工程师 程序员 设计师 会计 记者 厨师 司机
 警察 产品经理 运营 销售 研究员 学生 教授 创业
country 国家: usa us america canada mexico brazil argentina chile peru colombia cuba england uk britain scotland
 ireland wales france germany spain portugal italy switzerland austria belgium netherlands holland denmark sweden
 norway finland iceland poland czech hungary romania greece turkey russia ukraine egypt morocco kenya nigeria ghana
 ethiopia tanzania uganda zimbabwe israel jordan iran iraq india pakistan nepal bangladesh china japan korea taiwan
 thailand vietnam cambodia laos malaysia singapore indonesia philippines australia zealand fiji jamaica bahamas 中国
 美国 英国 法国 德国 日本 韩国 俄罗斯 加拿大 意大利 西班牙 澳大利亚 泰国 新加坡 印度 越南 瑞士 巴西
city town 城市: london paris rome berlin madrid barcelona amsterdam vienna prague budapest athens istanbul moscow
 dublin edinburgh lisbon venice florence milan munich zurich geneva stockholm oslo copenhagen helsinki brussels york
 boston chicago seattle portland angeles francisco diego vegas miami orlando atlanta houston dallas austin denver
 phoenix detroit philadelphia washington toronto vancouver montreal tokyo kyoto osaka seoul beijing shanghai
 shenzhen bangkok singapore delhi mumbai dubai cairo sydney melbourne nashville minneapolis 北京 上海 广州 深圳 杭州
 成都 武汉 南京 西安 重庆 苏州 天津 长沙 厦门 青岛 香港 台北 东京 大阪 纽约 伦敦 巴黎
state province 省: alabama alaska arizona arkansas california colorado connecticut delaware florida georgia hawaii
 idaho illinois indiana iowa kansas kentucky louisiana maine maryland massachusetts michigan minnesota mississippi
 missouri montana nebraska nevada jersey ohio oklahoma oregon pennsylvania tennessee texas utah vermont virginia
 wisconsin wyoming ontario quebec alberta 浙江 江苏 广东 四川 湖南 湖北 山东 福建 云南
continent region: europe asia africa america australia antarctica 欧洲 亚洲 非洲
color colour 颜色: red blue green yellow orange purple pink black white gray brown gold silver turquoise teal violet
 beige maroon navy crimson lavender 红色 蓝色 绿色 黄色 紫色 粉色 黑色 白色 灰色 棕色 橙色
vehicle transport transportation 交通工具 通勤: car truck bus van motorcycle motorbike bicycle bike scooter train
 subway taxi boat ship plane airplane ferry tram jeep suv minivan pickup 汽车 地铁 公交 自行车 电动车 摩托车 高铁
 飞机 火车 出租车 打车 骑车 开车
car 车 汽车: ford toyota honda bmw audi mercedes tesla ferrari porsche chevrolet chevy nissan hyundai kia subaru
 mazda volkswagen volvo jeep lexus prius mustang camaro sedan suv convertible truck 特斯拉 比亚迪 宝马 奔驰 奥迪
 丰田 本田 大众
clothes clothing outfit wear 衣服: shirt tshirt dress skirt pants jeans jacket coat sweater hoodie suit shoes boots
 hat cap scarf gloves socks shorts blouse gown uniform sneakers 衬衫 裙子 外套 裤子 鞋子 帽子 毛衣
jewelry accessory 首饰: ring necklace bracelet earring earrings pendant brooch 戒指 项链 手链 耳环 手表
furniture 家具: sofa couch chair table desk bed lamp bookshelf bookcase shelf cabinet dresser wardrobe rug 沙发 桌子
 椅子 书架 衣柜
room: kitchen bedroom bathroom livingroom basement attic garage office balcony patio
device gadget appliance electronics 设备 电器: phone laptop computer tablet ipad iphone camera headphones headset
 keyboard mouse monitor television console printer speaker smartwatch microwave oven fridge blender toaster vacuum
 dishwasher router 手机 电脑 平板 相机 耳机 显示器 键盘 鼠标 路由器
console platform 游戏机: playstation xbox nintendo switch ps4 ps5 pc steam wii gamecube
game videogame 游戏: chess poker monopoly scrabble catan minecraft fortnite zelda mario pokemon valorant overwatch
 tetris cyberpunk witcher fifa dnd mafia uno counterstrike xenoblade 象棋 围棋 麻将 扑克 王者荣耀 原神 塞尔达
genre music 音乐 风格: rock pop jazz blues classical hiphop rap country folk metal punk reggae electronic techno
 indie soul opera gospel 摇滚 爵士 古典 民谣 流行 说唱
genre film movie book 类型 电影: fantasy romance thriller mystery horror comedy drama scifi fiction documentary
 biography memoir action adventure superhero anime dystopian 科幻 悬疑 喜剧 爱情 恐怖 动作 纪录片 动画
dance 舞蹈: ballet salsa tango hiphop contemporary jazz ballroom waltz breakdance breakdancing tap foxtrot swing
 街舞 芭蕾 拉丁
art craft artwork 艺术 手工: painting drawing sculpture pottery photography watercolor sketch mural portrait
 landscape ceramics collage abstract printmaking knitting crochet embroidery origami calligraphy canvas 绘画 素描
 水彩 油画 书法 陶艺 雕塑 剪纸
flower plant 花 植物: rose tulip sunflower daisy lily orchid lavender hydrangea marigold peony dahlia carnation
 daffodil succulent cactus fern bonsai basil 玫瑰 百合 向日葵 绿萝 多肉 兰花 月季
tree: oak pine maple birch willow cedar redwood palm cherry
nature landscape scenery 风景: mountain forest lake river beach ocean sea waterfall canyon desert valley island
 cliff sunset sunrise meadow glacier cave hill 森林 沙漠 瀑布 草原
outdoor outdoors 户外: hiking camping fishing kayaking climbing biking picnic skiing surfing gardening trail
 mountain lake forest beach park 徒步 露营 爬山 钓鱼 骑行
illness disease condition health sick 疾病 病 健康: flu cold fever cough asthma diabetes cancer allergy migraine
 headache arthritis depression anxiety insomnia gastritis covid infection hypertension stroke ulcer pneumonia eczema
 obesity 感冒 发烧 高血压 糖尿病 过敏 失眠 颈椎 胃病
injury 受伤: sprain fracture broken ankle knee wrist shoulder concussion bruise cut burn 骨折 扭伤 脚踝 膝盖
symptom pain: headache fever cough nausea fatigue dizziness ache sore rash swelling 头疼 发烧 咳嗽 恶心
allergy allergic 过敏: peanut nut nuts dairy lactose gluten pollen shellfish cockroach dust fur reptile penicillin
 egg 花生 海鲜 花粉 牛奶 青霉素 头孢
diet 饮食 忌口: vegan vegetarian keto paleo gluten lactose sugar carb carbs lowcarb dairy fasting halal kosher 素食
 香菜 清真 海鲜 生酮
emotion feeling feel mood 心情 感觉: happy sad angry excited nervous anxious proud scared grateful thankful lonely
 relieved frustrated disappointed overwhelmed stressed embarrassed jealous hopeful inspired calm nostalgic awe
 bittersweet 开心 难过 生气 紧张 焦虑 兴奋 失望 孤独 自豪
weather 天气: rain snow storm sunny cloudy wind fog hurricane thunderstorm heatwave 下雨 下雪 晴天 台风
disaster: flood fire wildfire earthquake hurricane tornado storm tsunami 地震 台风 洪水 火灾
season 季节: spring summer autumn winter 春天 夏天 秋天 冬天
month 月份: january february march april june july august september october november december
weekday day: monday tuesday wednesday thursday friday saturday sunday 周一 周二 周三 周四 周五 周六 周日 星期一
 星期二 星期三 星期四 星期五
holiday festival 节日 假期: christmas thanksgiving easter halloween hanukkah ramadan eid diwali valentine
 independence 春节 中秋 端午 国庆 元旦 圣诞 清明 五一
event occasion 活动: wedding birthday party concert festival conference parade marathon tournament workshop
 graduation anniversary funeral fundraiser exhibition ceremony gala meetup reunion show fair 婚礼 生日 聚会 演唱会
 会议 毕业 比赛 年会
religion faith belief 宗教: christian catholic muslim islam jewish buddhist buddhism hindu atheist church mosque
 temple 佛教 基督教 伊斯兰教
school education degree study major subject 专业 学位 学历: bachelor master masters phd doctorate diploma math
 mathematics physics chemistry biology history psychology engineering literature economics philosophy business law
 medicine accounting nursing sociology geography counseling 本科 硕士 博士 数学 物理 化学 生物 历史 心理学 经济 法律
 计算机
language 语言 外语: english spanish french german italian portuguese russian chinese mandarin cantonese japanese
 korean arabic hindi latin dutch swedish polish turkish greek hebrew 英语 日语 法语 德语 韩语 西班牙语 俄语 中文
 英文 日文 粤语
ethnicity nationality origin 国籍 老家 家乡 籍贯: american british english french german italian spanish mexican
 canadian chinese japanese korean indian swedish irish russian brazilian african latino
shop store 商店: supermarket mall bakery bookstore pharmacy grocery boutique market butcher florist 超市 商场 书店
 药店 便利店
building: house apartment church castle tower skyscraper museum library hospital school temple cathedral
venue place spot 地方 地点: park beach cafe restaurant museum zoo aquarium library gallery theater cinema stadium
 gym mall bar pub club church studio lake mountain forest garden castle shelter 公园 海边 咖啡馆 餐厅 博物馆 图书馆
 电影院 商场 健身房
gift present 礼物: necklace ring bracelet flowers book card chocolate toy perfume doll teddy puppy scarf mug 手表
 项链 鲜花 口红 香水
social socialmedia media 社交: instagram facebook twitter tiktok youtube snapchat linkedin reddit pinterest blog
 podcast 微信 微博 抖音 小红书 知乎 朋友圈
charity volunteer cause 公益: shelter homeless orphanage hospital foodbank pantry kitchen fundraiser donation
 veterans animal 志愿者 捐款
relax unwind destress stress 放松 解压: yoga meditation reading music bath massage walk walking painting spa nap tea
 nature running sunset gaming 瑜伽 冥想 听歌 散步 泡澡 按摩
metal material 材料: gold silver copper bronze iron steel wood glass plastic clay stone leather cotton silk wool
size: small medium large tiny huge
shape: circle square triangle heart star
subject science 学科: math physics chemistry biology astronomy geology history geography
toy: doll teddy lego puzzle ball kite robot
award prize trophy achievement 奖 荣誉: medal trophy certificate scholarship championship grammy oscar mvp 奖杯 金牌
 冠军 一等奖
relationship status 婚姻 感情状况: single married divorced engaged widowed dating girlfriend boyfriend wife husband
 fiance breakup 单身 已婚 离婚 未婚 女朋友 男朋友
money finance: salary loan debt mortgage budget savings investment rent tax 工资 贷款 房贷 存款
book author: novel biography memoir trilogy poetry rowling tolkien shakespeare dickens austen hemingway orwell 三体
 活着
"""
