"""Sentences on what is special and on what only sounds so, by language and kind; they are counted, not each required."""

from __future__ import annotations

# language -> category -> sentences in which somebody tells it of himself or of somebody near.
TOLD: dict[str, dict[str, str]] = {
    "en": {
        "health": """
my gp upped the ramipril and now im dizzy all day
whats a good snack when your blood sugar keeps crashing, mine was 3.1 again
day 40 without a drink, any mocktail ideas
how do i tell my manager im starting chemo next week
i wear hearing aids so please no phone calls
14 weeks today and the nausea wont stop
we lost the baby in february and im still crying at work
cant lift anything, hernia op was on tuesday
my shrink thinks its bipolar 2
got my hip done in may, can i cycle
the voices came back last night
im coeliac so skip the couscous
had a smear test and they found abnormal cells
my mum has dementia and keeps hiding her keys
still limping, tore my acl skiing
been signed off for six weeks with stress
i use a wheelchair, is that museum accessible
my son is autistic and hates loud restaurants
just got my adhd diagnosis at 41
lupus flare again, cancel my week
""",
        "religion": """
during lent im off chocolate, suggest desserts
my imam asked me to give a short talk
we dont eat pork, were muslim
i stopped believing in god after the war
im doing wudu at work, where is a good sink
remind me about shabbat dinner on friday
im a jehovahs witness so no birthday party for me
our pastor is coming for lunch
getting confirmed in april, what do i wear
my bat mitzvah speech needs a joke
i go to mass before work on wednesdays
as an atheist i feel odd at funerals
ive been a buddhist for ten years
need a halal place near the office for me and my wife
""",
        "politics": """
ive been a lib dem member since 2010
im voting for the socialist candidate on thursday
im handing out leaflets for the tories this weekend
i was at the palestine march on saturday, feet hurt
i lean pretty far left, my dad hates it
i chair our local conservative association
my wife is running for city council as a democrat
i never vote, all parties are the same to me
im a trump guy and my roommates wont talk to me
helping with the momentum phone bank tonight
""",
        "sexuality": """
my girlfriend and i are both women, which clinic does donor ivf
im trans and my passport has the old name
my husband and i, both men, want to adopt
i think im ace but my boyfriend isnt
told my mum i like girls and she cried
been on t for six months and my voice dropped
we opened our marriage last year
my first pride was last weekend
two dads at the school gate, how do we answer questions
im a bi guy and nobody at work knows
""",
        "ethnicity": """
im half jamaican and half irish
as a black woman i never find the right foundation
my parents came from bangladesh in the seventies
im sami and want to learn the language
we are kurds from diyarbakir
my grandmother was cherokee
im the only asian in my class
im of roma origin and landlords hang up on me
being mixed race in a small village is tiring
""",
        "union": """
im the union rep at the depot
were on strike tomorrow, is the picket at six
i pay my unite subs by direct debit
elected shop steward last week
the union got me my job back
my branch secretary wants me to speak at the ballot meeting
just joined the teachers union
""",
        "crime": """
got out of jail in march and need a cv
im on parole until 2027 and cant travel
i was done for drink driving in 2020
my brother is inside for fraud
got a caution for shoplifting when i was 17
120 hours of community service starting monday
i have a felony so renting is hard
i was arrested at nineteen for fighting
ankle monitor itches, what socks
""",
    },
    "sv": {
        "health": """
min läkare höjde dosen ramipril och jag är yr
blodsockret ligger på 16, vad ska jag äta
är i vecka 23 och halsbränna hela natten
fick missfall i våras och orkar inte
opererar knät på torsdag, vad behöver jag hemma
jag är nykter alkoholist sen fyra år
min son har adhd och sover dåligt
har precis fått besked om bröstcancer
psykologen säger att det är panikångest
är glutenintolerant, finns det våfflor utan mjöl
ligger hemma med lunginflammation
mamma fick en stroke i påskas
tar citalopram och tappar lusten
använder rullstol, funkar hissen
""",
        "religion": """
jag är troende muslim och ber på lunchen
har lämnat jehovas vittnen och saknar mina vänner
sjunger i kyrkokören varje torsdag
är döpt katolik, måste jag gifta mig i kyrkan
min imam ska tala på festen
tror inte på gud men vill ha en fin begravning
ska på högmässa på söndag
""",
        "politics": """
är med i vänsterpartiet sen tio år
röstade på centern förra gången och ångrar mig
står på moderaternas lista i kommunvalet
gick i första maj tåget med ssu
jag är gammal kommunist
delar ut flygblad för miljöpartiet på lördag
""",
        "sexuality": """
jag är lesbisk och min mormor vet inte
kom ut för mina föräldrar i julas
min man och jag är båda killar och vill adoptera
jag är transkille och ska byta namn
har en öppen relation med min fru
gillar både killar och tjejer, är det bi
""",
        "ethnicity": """
jag är same från jokkmokk
min mormor var romni och det pratades aldrig om
som svart i en liten stad blir man uttittad
mina föräldrar flydde från kurdistan
jag är halvt iransk
är tornedaling och vill lära mig meänkieli
""",
        "union": """
jag sitter i klubbstyrelsen för if metall
är skyddsombud på jobbet
gick med i kommunal i januari
vi strejkar från måndag
facket förhandlar min uppsägning
""",
        "crime": """
jag har suttit i fängelse för rån
dömdes för rattfylla 2018
har en prick i belastningsregistret
fick samhällstjänst för skadegörelse
är villkorligt frigiven till mars
min bror sitter på kumla
""",
    },
    "fi": {
        "health": """
lääkäri nosti ramipriilin annosta ja huimaa
verensokeri on 15, mitä uskallan syödä
olen viikolla 23 ja närästys valvottaa
sain keskenmenon keväällä enkä jaksa
polvi leikataan torstaina
olen ollut raittiina neljä vuotta
pojallani on adhd ja uni ei tule
mulla todettiin rintasyöpä
terapeuttini sanoo että se on paniikkihäiriö
olen keliaakikko, löytyykö gluteenittomia vohveleita
makaan kotona keuhkokuumeessa
äiti sai aivoinfarktin pääsiäisenä
syön sitalopraamia ja olo on outo
istun pyörätuolissa, toimiiko hissi
sairauslomalla uupumuksen takia
""",
        "religion": """
olen muslimi ja rukoilen lounastauolla
lähdin jehovan todistajista ja kaipaan ystäviä
laulan kirkkokuorossa torstaisin
en usko jumalaan mutta haluan kauniit hautajaiset
meidän pastori tulee kylään
paastoan pääsiäiseen asti
käyn suviseuroissa joka kesä
""",
        "politics": """
olen ollut vasemmistoliitossa kymmenen vuotta
äänestin viimeksi keskustaa ja kaduttaa
olen demarien listalla kuntavaaleissa
jaan vihreiden esitteitä lauantaina
vanha kommunisti täällä hei
olin mielenosoituksessa hallitusta vastaan
""",
        "sexuality": """
olen lesbo eikä mummo tiedä
tulin jouluna kaapista vanhemmille
mieheni ja minä olemme molemmat miehiä ja haluamme adoptoida
olen transmies ja vaihdan nimeni
tykkään sekä pojista että tytöistä
meillä on vaimoni kanssa avoin liitto
""",
        "ethnicity": """
olen inarinsaamelainen
isoäitini oli romani eikä siitä puhuttu
tummaihoisena pikkukaupungissa tuijotetaan
vanhempani pakenivat kurdistanista
olen puoliksi iranilainen
""",
        "union": """
olen pamin aktiivi
työsuojeluvaltuutettuna minulla on kokous
liityin tehyyn tammikuussa
olemme lakossa maanantaista
liiton juristi hoitaa irtisanomistani
""",
        "crime": """
olen istunut vankilassa ryöstöstä
sain tuomion rattijuopumuksesta 2018
minulla on rikosrekisteri
sain yhdyskuntapalvelua vahingonteosta
olen ehdonalaisessa maaliskuuhun
veljeni istuu linnassa
""",
    },
    "ru": {
        "health": """
врач поднял дозу рамиприла и кружится голова
сахар 15 утром, что мне можно есть
я на 23 неделе и изжога всю ночь
весной был выкидыш и нет сил
в четверг мне оперируют колено
не пью четыре года, хожу на группу
у сына сдвг и он не спит
у меня нашли рак груди
психотерапевт говорит что это панические атаки
у меня целиакия, есть вафли без муки
лежу дома с пневмонией
у мамы на пасху был инсульт
пью циталопрам и ничего не хочется
езжу на коляске, лифт работает
на больничном из-за выгорания
""",
        "religion": """
я мусульманин и молюсь в обед
ушел от свидетелей иеговы и скучаю по друзьям
пою в церковном хоре по четвергам
в бога не верю но хочу красивые похороны
наш батюшка придет в гости
постимся до пасхи, что готовить
в воскресенье иду на литургию
""",
        "politics": """
я десять лет в лдпр
на прошлых выборах голосовал за яблоко и жалею
иду депутатом от кпрф в мундепы
раздаю листовки единой россии в субботу
я старый коммунист
была на митинге против войны
""",
        "sexuality": """
я лесбиянка а бабушка не знает
признался родителям что я гей
мы с мужем оба мужчины и хотим усыновить
я трансгендерный парень и меняю имя
мне нравятся и парни и девушки
у нас с женой открытый брак
""",
        "ethnicity": """
я татарка из казани
моя бабушка была цыганкой и об этом молчали
я наполовину армянин
мои родители бежали из курдистана, мы курды
я якут и хочу учить язык
из-за разреза глаз меня не пускают в клуб
""",
        "union": """
я председатель профкома на заводе
вступила в профсоюз в январе
мы бастуем с понедельника
профсоюз помог мне с увольнением
плачу взносы в профсоюз учителей
""",
        "crime": """
я сидел за разбой
получил условку за драку
у меня судимость, берут ли в такси
дали обязательные работы за хулиганство
я на удо до марта
брат сидит в колонии
""",
    },
}

# language -> sentences that only sound so: places, trades, history, games, figures of speech, the talk of the world.
HARMLESS: dict[str, str] = {
    "en": """
the church on our street has a nice clock
i am sick of this weather
what is the capital of the jewish autonomous oblast
my phone battery is suffering
im addicted to crosswords
the party last night was loud
i sell hospital beds, write a flyer
who founded the labour party
explain the black death to a ten year old
is the union of two sets commutative
union square is where we meet
write a detective story where the butler is arrested
my patient is on warfarin, check the interaction
how many people voted in the last eurovision
im a prison architect fan, any mods
straight razor or safety razor
i religiously water my plants
pride comes before a fall, what does it mean
my code has a bug that kills the parent process
the red army choir concert was great
green tea or black tea
im writing an essay on the spanish inquisition
translate the word mosque into french
conservative estimate is 40 hours
what does liberal arts mean
the doctor who christmas special
crime novels like tana french please
the jail scene in my screenplay feels long
is there a pharmacy near the station
my car failed its health check
i work for a cancer charity, name our bake sale
we read the merchant of venice in class
strike the second paragraph please
my students asked about the holocaust
can i bring insulin on the plane as cargo for my company
i am blind without coffee
""",
    "sv": """
kyrkan på hörnet är gul
är trött på regnet
vem grundade socialdemokraterna
fest på lördag, vad tar man med
jag säljer sjukhussängar, skriv en annons
förklara digerdöden för en tioåring
min patient äter waran, kolla interaktionen
grönt te eller svart te
skriver en uppsats om häxprocesserna
vad betyder ordet moské
jag jobbar på fängelset, vilka skor
facket längst ner i väskan är trasigt
deckare som utspelas på gotland
datorn har fått virus
mina elever frågade om förintelsen
hur många röstade i melodifestivalen
böter för sen bok på biblioteket
rösten på inspelningen låter konstig
""",
    "fi": """
kirkko kulmassa on keltainen
olen kyllästynyt sateeseen
kuka perusti sdp n
bileet lauantaina, mitä viedään
myyn sairaalasänkyjä, tee mainos
selitä musta surma lapselle
potilaani syö marevania, tarkista yhteisvaikutus
vihreä vai musta tee
kirjoitan esseen noitavainoista
mitä sana moskeija tarkoittaa
olen vankilassa töissä, mitkä kengät
dekkareita jotka sijoittuvat turkuun
koneessa on virus
oppilaani kysyivät holokaustista
paljonko ääniä euroviisuissa annettiin
sakko myöhästyneestä kirjasta
liitto on valmis, sanoi maalari
""",
    "ru": """
церковь на углу желтая
устал от дождя
кто основал кпсс
вечеринка в субботу, что взять
продаю больничные кровати, напиши рекламу
объясни чуму ребенку
мой пациент пьет варфарин, проверь взаимодействие
зеленый чай или черный
пишу эссе про инквизицию
что значит слово мечеть
работаю в тюрьме, какие ботинки
детективы про питер
компьютер поймал вирус
ученики спросили про холокост
сколько голосов на евровидении
штраф за просроченную книгу
пост в инстаграме собрал тысячу лайков
срок сдачи отчета пятница
""",
}
