# ruff: noqa: E501  # a list of names reads better whole
"""Names as guests really have them: many scripts, and the odd ones that break lists.

Each entry is `name=latin`; the second part only makes the e-mail address. Without it the name itself is folded.
"""

from typing import NamedTuple


class Culture(NamedTuple):
    weight: int
    given: str
    family: str


CULTURES = {
    "english": Culture(
        16,
        "Olivia, James, Amelia, Grace, Theo, Ruby, Samuel, Hannah, Callum, Isla, Edward, Zoe, Marcus, Naomi, Felix, Ada",
        "Bennett, Okafor, Hughes, Whitaker, O'Connor, Clarke, Adeyemi, Fraser, Doyle, Patterson, Lowe, Mc Kenna, Ellis, "
        "Sinclair, Reid, Holloway",
    ),
    "german": Culture(
        16,
        "Jürgen, Anneliese, Björn, Käthe, Lukas, Mareike, Sönke, Franziska, Götz, Hannelore, Tobias, Wiebke, Moritz, Frieda",
        "Müller, Großmann, Schäfer, Weiß, Köhler, von der Heide, Jäger, Böttcher, Brandt, Krüger, Vogel, Lindner, Hübner, Roth",
    ),
    "french": Culture(
        8,
        "Amélie, François, Zoé, Benoît, Chloé, Jérôme, Hélène, Loïc, Maëlys, Noël, Océane, Régis, Anaïs, Étienne",
        "Lefèvre, D'Aubigné, Gauthier, Bérenger, Saint-Clair, Dupré, Moreau, N'Diaye, Chevalier, Garçon, Rousselot, Fournier",
    ),
    "spanish": Culture(
        7,
        "María José, Íñigo, Lucía, Álvaro, Begoña, Ramón, Inés, Joaquín, Nuño, Rocío, Andrés, Paloma",
        "Núñez, García Márquez, Ibáñez, Peña, de la Fuente, Gutiérrez, Zúñiga, Castaño, Ordóñez, Vélez, Muñoz, Sáenz",
    ),
    "nordic": Culture(
        6,
        "Åsa, Søren, Ólafur, Mira, Jørgen, Ævar, Lærke, Håkon, Sigríður, Päivi, Þóra, Mikkel",
        "Lindqvist, Ørsted, Guðmundsdóttir, Hämäläinen, Bjørnson, Åkerström, Næss, Jónsson, Virtanen, Sjöberg, Dahl, Rønning",
    ),
    "central_european": Culture(
        6,
        "Łukasz, Zsófia, Jiří, Małgorzata, Čeněk, Ágnes, Šárka, Władysław, Žofie, Győző, Dušan, Ştefan",
        "Żółkowski, Dvořák, Szabó, Wiśniewska, Černý, Őri, Kowalczyk, Řehoř, Nagy, Piątek, Jovanović, Țurcanu",
    ),
    "turkish": Culture(
        4,
        "Işıl, Çağrı, Gülşen, İbrahim, Öykü, Şule, Yiğit, Ümit",
        "Yıldız, Çelik, Öztürk, İnce, Şahin, Güneş, Kılıç, Doğan",
    ),
    "ukrainian": Culture(
        6,
        "Олена=olena, Дмитро=dmytro, Марія=mariia, Тарас=taras, Наталія=nataliia, Юрій=yurii, Софія=sofiia, Андрій=andrii, "
        "Ґалина=galyna, Єва=yeva, Павло=pavlo, Ірина=iryna",
        "Ковальчук=kovalchuk, Шевченко=shevchenko, Бойко=boiko, Мельник=melnyk, Кравець=kravets, Гончар=honchar, "
        "Лисенко=lysenko, Поліщук=polishchuk, Ткач=tkach, Їжак=yizhak",
    ),
    "greek": Culture(
        5,
        "Ελένη=eleni, Γιώργος=giorgos, Μαρία=maria, Νίκος=nikos, Δήμητρα=dimitra, Σπύρος=spyros, Άννα=anna, Θάνος=thanos, "
        "Κατερίνα=katerina, Ηλίας=ilias",
        "Παπαδάκης=papadakis, Νικολάου=nikolaou, Βασιλείου=vasileiou, Οικονόμου=oikonomou, Καραγιάννη=karagianni, "
        "Δημητρίου=dimitriou, Ξένος=xenos, Ψαρράς=psarras",
    ),
    "arabic": Culture(
        6,
        "محمد=mohamed, فاطمة=fatima, يوسف=youssef, ليلى=layla, عمر=omar, نور=nour, خالد=khaled, هدى=huda, سامي=sami, "
        "رانيا=rania, طارق=tariq, مريم=maryam",
        "الحسن=alhassan, بن سالم=bensalem, منصور=mansour, حداد=haddad, النجار=alnajjar, خوري=khoury, عبد الله=abdallah, "
        "القاضي=alqadi, زيدان=zaydan, شاهين=shaheen",
    ),
    "persian": Culture(
        3,
        "علی‌رضا=alireza, نسترن=nastaran, کاوه=kaveh, پریسا=parisa, گلناز=golnaz, آرش=arash",
        "حسینی=hosseini, رضایی=rezaei, کریمی=karimi, یزدانی=yazdani, پورمحمد=pourmohammad",
    ),
    "hebrew": Culture(
        5,
        "יעל=yael, דוד=david, נועה=noa, איתן=eitan, שירה=shira, אורי=uri, תמר=tamar, יונתן=yonatan, רות=rut, גיל=gil",
        "בן־דוד=bendavid, כהן=cohen, לוי=levi, מזרחי=mizrahi, פרידמן=friedman, אברהמי=avrahami, שלום=shalom, גולן=golan",
    ),
    "hindi": Culture(
        6,
        "प्रिया=priya, अर्जुन=arjun, श्रेया=shreya, विक्रम=vikram, अनन्या=ananya, राहुल=rahul, मीनाक्षी=meenakshi, कृष्ण=krishna, "
        "दीपिका=deepika, संजय=sanjay",
        "शर्मा=sharma, गुप्ता=gupta, चौधरी=chaudhary, मिश्रा=mishra, त्रिपाठी=tripathi, वर्मा=verma, जोशी=joshi, नायर=nair",
    ),
    "japanese": Culture(
        6,
        "美咲=misaki, 健太=kenta, さくら=sakura, 翔=sho, 陽子=yoko, 大輔=daisuke, 結衣=yui, 蓮=ren, ひなた=hinata, 真一=shinichi",
        "佐藤=sato, 鈴木=suzuki, 髙橋=takahashi, 渡邉=watanabe, 小林=kobayashi, 山﨑=yamazaki, 斎藤=saito, 伊藤=ito, 東=azuma",
    ),
    "chinese": Culture(
        6,
        "伟=wei, 秀英=xiuying, 娜=na, 志强=zhiqiang, 雨桐=yutong, 子轩=zixuan, 美玲=meiling, 建国=jianguo, 欣怡=xinyi, 浩然=haoran",
        "王=wang, 李=li, 张=zhang, 陈=chen, 欧阳=ouyang, 黄=huang, 趙=zhao, 司马=sima, 林=lin, 吴=wu",
    ),
    "korean": Culture(
        5,
        "지우=jiwoo, 민준=minjun, 서연=seoyeon, 하은=haeun, 도윤=doyun, 수아=sua, 현우=hyunwoo, 예린=yerin",
        "김=kim, 이=lee, 박=park, 최=choi, 정=jung, 남궁=namgung, 한=han, 윤=yoon",
    ),
    "vietnamese": Culture(
        5,
        "Thị Hạnh, Văn Đức, Ngọc Ánh, Minh Tuấn, Thùy Dương, Quốc Bảo, Hồng Phượng, Hữu Nghĩa",
        "Nguyễn, Trần, Lê, Phạm, Đặng, Bùi, Vũ, Huỳnh",
    ),
    "thai": Culture(
        4,
        "สมชาย=somchai, กัญญา=kanya, ณัฐพล=nattapon, พิมพ์ชนก=pimchanok, อรุณ=arun, มาลี=malee, ธนวัฒน์=thanawat",
        "ศรีสุข=srisuk, วงศ์ใหญ่=wongyai, จันทร์เพ็ญ=chanphen, แก้วมณี=kaewmanee, ทองคำ=thongkham, รัตนกุล=rattanakul",
    ),
}

ODD = [
    ("Siobhán", "O’Shaughnessy", "siobhan.oshaughnessy"),  # a typographic apostrophe, not the ASCII one
    ('Anne-Marie "Mimi"', "d'Arcy", "mimi.darcy"),
    ("María de los Ángeles Inmaculada Concepción", "Fernández de Córdoba y Álvarez de Sotomayor", "mfernandez"),
    ("Maximiliane-Theodora", "Straßenbahnhaltestellenwartehäuschenbesitzer-Überschwänglich", "mt.long"),
    ("Suharti", "", "suharti"),  # one name only
    ("", "Wulandari", "wulandari"),
    ("王", "", "wang"),
    ("Zoë 🎉", "Party", "zoe.party"),
    ("👩🏽‍🚀", "Valentina", "valentina"),
    ("דנה", "Cohen-לוי", "dana.cohenlevi"),  # two directions in one name
    ("نور (Nour)", "الدين", "nour.aldin"),
    ("<b>Ann</b>", "& Söhne", "ann.soehne"),  # must be shown as typed
    ("Robert'); DROP TABLE guests;--", "Null", "robert.null"),
    ("{{ first_name }}", "{% now %}", "template"),
    ("Z\u0351\u0346\u036bo\u031e\u036c\u0065\u0301\u0334", "Cömbining", "zoe.combining"),
    ("ＡＬＥＸ", "Ｗｉｄｅ", "alex.wide"),  # full-width Latin letters
    ("Jose\u0301", "Nun\u0303ez", "jose.nunez"),  # decomposed accents, unlike the next one
    ("José", "Núñez", "jose.nunez.ii"),
    ("Ǆemal", "ﬁsher", "dzemal.fisher"),  # letters that change length when folded
    ("Ⅳ", "Ångström", "iv.angstrom"),
]

COMPANIES = [
    ("", "mail.example"),
    ("", "post.example"),
    ("", "inbox.test"),
    ("Nordlicht Studio", "nordlicht.example"),
    ("Brücke & Partner", "bruecke.example"),
    ("L'Atelier du Son", "atelier.example"),
    ("Kaffeerösterei Grün", "kaffee.test"),
    ("Μουσικό Σπίτι", "mousiko.example"),
    ("株式会社ひかり", "hikari.example"),
    ("Майстерня Світла", "maisternia.example"),
    ("دار الفنون", "darfunun.example"),
    ("नया रंगमंच", "rangmanch.test"),
    ("O'Neill, Sons & Daughters", "oneill.example"),
    ("Teatr „Scena”", "scena.test"),
    ("한빛 스튜디오", "hanbit.example"),
    ("Gesellschaft für außergewöhnliche Veranstaltungen mbH", "gav.example"),
]
