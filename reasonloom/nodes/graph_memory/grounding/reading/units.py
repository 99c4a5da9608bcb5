"""Words of measures: units with what they come to, parts of an hour, weekdays, ordinals."""

from __future__ import annotations

import re

MINUTE, HOUR, DAY = 60.0, 3600.0, 86_400.0
DIMENSIONS: dict[str, dict[str, float]] = {
    "duration": {
        "second seconds sec secs sekunde sekunden seconde secondes segundo segundos 秒": 1.0,
        "minute minutes min mins minuten minuto minutos 分 分間": MINUTE,
        "hour hours hr hrs stunde stunden hora horas 時間": HOUR,
        "day days tag tage tagen jour jours día días 日間 日": DAY,
        "week weeks woche wochen semaine semaines semana semanas 週間": 7 * DAY,
        "month months monat monate monaten mois mes meses か月 ヶ月": 30.4375 * DAY,
        "year years jahr jahre jahren an ans année années año años 年間 年": 365.25 * DAY,
    },
    "length": {
        "m metre metres meter meters mètre mètres metro metros メートル": 1.0,
        "km kilometre kilometres kilometer kilometers kilomètre kilomètres kilómetro "
        "kilómetros キロメートル": 1000.0,
        "cm centimetre centimetres zentimeter centimètre centimètres centímetros": 0.01,
        "mm": 0.001,
        "mile miles": 1609.344,
        "ft foot feet": 0.3048,
    },
    "mass": {
        "g gram grams gramm grammes gramos グラム": 1.0,
        "kg kilo kilos kilogram kilograms kilogramm kilogrammes kilogramos キロ": 1000.0,
        "t tonne tonnes tonnen toneladas トン": 1e6,
    },
    "eur": {"€ euro euros eur ユーロ": 1.0, "cent cents": 0.01},
    "usd": {"$ dollar dollars usd dólares ドル": 1.0},
    "gbp": {"£ pound pounds gbp": 1.0},
    "jpy": {"¥ yen jpy 円": 1.0},
    "chf": {"chf francs franken": 1.0},
    "%": {"% percent prozent pour por パーセント": 1.0},
    "°c": {"°c": 1.0},
    "°f": {"°f": 1.0},
    "page": {"page pages seite seiten página páginas ページ 頁": 1.0},
    "times": {"times mal fois veces 回": 1.0},
    "person": {"people person persons 人 名 personnes personas personen": 1.0},
}
UNITS = {
    word: (dimension, factor)
    for dimension, units in DIMENSIONS.items()
    for words, factor in units.items()
    for word in words.split()
}
SIGNS = {"$": "$", "€": "€", "£": "£", "¥": "¥"}
PARTS_OF_AN_HOUR = (
    r"\b(?:a )?quarter of an hour\b", r"\bquarter[- ]hour\b", r"\bhalf an hour\b",
    r"\bhalf[- ]hour\b", r"\b(?:eine )?viertelstunde\b", r"\b(?:eine )?halbe stunde\b",
    r"\b(?:un )?quart d['’]heure\b", r"\b(?:une )?demi-heure\b", r"\b(?:un )?cuarto de hora\b",
    r"\bmedia hora\b",
)  # fmt: skip
FRACTIONS = {
    "half": 2, "third": 3, "quarter": 4, "fifth": 5, "sixth": 6, "tenth": 10,
    "hälfte": 2, "drittel": 3, "viertel": 4, "fünftel": 5, "zehntel": 10,
    "moitié": 2, "tiers": 3, "quart": 4, "cinquième": 5, "dixième": 10,
    "mitad": 2, "tercio": 3, "cuarta parte": 4, "cuarto": 4, "quinto": 5,
}  # fmt: skip
WEEKDAYS = {
    word: n
    for n, words in enumerate(
        (
            "monday mondays montag montags lundi lundis lunes 月",
            "tuesday tuesdays dienstag dienstags mardi mardis martes 火",
            "wednesday wednesdays mittwoch mittwochs mercredi mercredis miércoles 水",
            "thursday thursdays donnerstag donnerstags jeudi jeudis jueves 木",
            "friday fridays freitag freitags vendredi vendredis viernes 金",
            "saturday saturdays samstag samstags sonnabend samedi samedis sábado sábados 土",
            "sunday sundays sonntag sonntags dimanche dimanches domingo domingos 日",
        )
    )
    for word in words.split()
}
ORDINALS = {
    word: n
    for n, words in enumerate(
        (
            "first erste ersten erster erstes premier première primer primera primero",
            "second zweite zweiten zweiter zweites deuxième segundo segunda",
            "third dritte dritten dritter drittes troisième tercer tercera tercero",
            "fourth vierte vierten vierter viertes quatrième cuarta",
            "fifth fünfte fünften fünfter fünftes cinquième quinta",
            "sixth sechste sechsten sixième sexto sexta",
            "seventh siebte siebten septième séptimo séptima",
            "eighth achte achten huitième octavo octava",
            "ninth neunte neunten neuvième noveno novena",
            "tenth zehnte zehnten dixième décimo décima",
        ),
        1,
    )
    for word in words.split()
}
AFTERNOON = re.compile(
    r"\s*(?:in the (?:afternoon|evening)|at night|this evening|tonight|nachmittags|abends|"
    r"de la tarde|de la noche|du soir|de l['’]après-midi)"
)
MORNING = re.compile(r"\s*(?:in the morning|morgens|vormittags|früh|du matin|de la mañana)")
