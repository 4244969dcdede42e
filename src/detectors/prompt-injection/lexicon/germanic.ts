import type { Lexicon } from './slots.ts'

export const german: Lexicon = {
  language: 'de',
  words: {
    mark: 'anweisungen vergiss ignoriere regeln gib die am dir diesem davon wurden liebes liebe falls wenn der das und nicht ist du dein deine ein eine den dem mit auf für im zu alle diese dieser dieses sie ohne dass von',
    dismiss:
      'ignorier* vergiss vergessen_sie vergesst missacht* verwirf verwerf* überspring* übergeh* beiseite außer_acht setze_dich_über setz_dich_über hinwegsetzen halte_dich_nicht halten_sie_sich_nicht nicht_mehr_befolgen folge_nicht folgen_sie_nicht umgeh* streiche brich',
    obey: 'befolg* beacht* folge* halte_dich halten_sie',
    asked:
      'der_nutzer_aufgetragen dir_der_nutzer der_benutzer_will der_nutzer_will der_benutzer_gesagt der_nutzer_gesagt der_nutzer_gefragt dir_der_benutzer',
    onward: 'ab_jetzt ab_sofort von_nun_an fortan künftig',
    hoard: 'gesprächsverlauf chatverlauf kundendaten kundenliste umgebungsvariablen',
    earlier:
      'vorherig* bisherig* obig* früher* vorig* vorangegangen* vorangehend* ursprünglich* bestehend* zuvor bisher vorstehend* deine deiner deinen ihre alle sämtlich* erhalten',
    orders:
      'anweisung* instruktion* befehl* vorgabe* prompt* aufforderung* richtlinie* systemnachricht* systemanweisung* systemprompt* direktive* anordnung*',
    bounds: 'regel regeln beschränkung* einschränkung* grenzen filter sicherheitsregel* schutzmaßnahm* konfiguration',
    task: 'aufgabe* auftrag* ziel ziele rolle',
    void: 'gelten_nicht_mehr gilt_nicht_mehr nicht_mehr_gültig aufgehoben ungültig hinfällig widerrufen nichtig geändert ersetzt zurückgezogen obsolet außer_kraft',
    renewed: 'neue neuen neuer neues aktualisiert* eigentlich* wahre wirklich*',
    self: 'du dich dir dein deine deinen deiner deinem deines sie_sich ihre ihr ihnen ihren',
    machine:
      'ki ki_assistent* ki_agent* ki_modell* ki_system* sprachmodell* chatbot* kis künstliche_intelligenz künstlichen_intelligenz chatgpt ki_leser ki_prüfer llm llms',
    helper: 'assistent* agent agenten modell modelle bot bots automatisch* prüfer system',
    call: 'hinweis_an hinweis_für nachricht_an nachricht_für mitteilung_an anweisung_an achtung an_alle an_das an_die an_den an_jede an_jedes an für_alle liebes liebe lieber falls_du wenn_du sollten_sie sollte_ein falls_eine falls_ein falls_sie wenn_sie als_ki hallo',
    reading:
      'lies* liest lesen lesenden verarbeite* verarbeitet verarbeiten zusammenfass* zusammenfasst fasst auswerte* analysier* durchsuch* indexier* bearbeite*',
    page: 'diese_seite diesen_text dieses_dokument diesen_artikel diese_nachricht diese_datei diesen_inhalt das_dokument die_seite das_lesen das_liest dies_lesen dies_liest diese_anfrage',
    duty: 'muss müssen sollst soll sollen sollte immer stets niemals nie darf bitte unbedingt hat_zu',
    say: 'sage sag sagt sagen antworte antwortet antworten schreibe schreib schreiben gib geben ausgeben behaupte* nenne erkläre melde berichte* sprich teile* drucke',
    reveal:
      'gib zeig* verrat* nenn* druck* wiederhol* übersetz* liste list schreib* fass* offenbar* wie_lauten was_sind wie_lautet lies enthüll* zitier* aufzähl* zähle teile',
    hidden: 'geheim* versteckt* verborgen* intern* ursprünglich* system anfänglich*',
    given:
      'du_bekommen du_erhalten dir_gegeben dir_dein_entwickler dir_deine_entwickler gegeben_wurden gegeben_hat vor_diesem_gespräch über_dieser_nachricht nach_denen_du bekommen_hast erhalten_hast',
    prompt: 'systemprompt* systemanweisung* systemnachricht* system_prompt deine_anweisungen',
    verbatim: 'wortwörtlich wort_für_wort vollständig* codeblock gesamten gesamte komplett* genau',
    send: 'sende* schick* leite leitet weiterleit* übermittl* lade hochlad* poste maile häng* füge',
    goods:
      'passwort passwörter kennwort kennwörter zugangsdaten geheimnis* api_schlüssel schlüssel token tokens gesprächsverlauf chatverlauf kundendaten kundenliste umgebungsvariablen vertraulich*',
    all: 'alle sämtlich* jede* ganze* gesamte*',
    harm: 'lösch* überweis* genehmig* entfern* führe_aus ausführen starte deaktivier* abschalten schalte lege_an gewähre* storniere* freigeben lege leg',
    tool: 'werkzeug* tool tools funktion* skript* firewall konto administrator* rechte terminal',
    unasked: 'ohne_rückfrage ohne_nachfrage ohne_freigabe',
    act: 'führe* starte* rufe* öffne* lade_herunter installiere*',
    quiet:
      'erwähne*_nicht erwähnt_diesen_hinweis_nicht diesen_hinweis_nicht ohne_den_benutzer ohne_den_nutzer ohne_dem_nutzer ohne_dem_benutzer verheimlich* verschweig* niemandem sag_nichts sage_nichts heimlich stillschweigend hinweis_nicht nicht_erwähnen nichts_davon sage_dem_nutzer_nicht nicht_verraten unbemerkt ohne_dass_der_benutzer ohne_dass_der_nutzer ohne_dass_es_jemand ohne_dass_jemand deiner_antwort_nicht dem_nutzer_nicht dem_benutzer_nicht',
    praise: 'empfiehl empfehle* empfehlen lobe* lob loben beste bestes besten höchste* bevorzug* bewerte* bewertet',
    omit: 'weglassen lass_weg verschweig* keinen_ausfall keine_mängel kritik mängel leugne* unterschlag* verschweigen',
    play: 'tu_so spiele verhalte_dich du_bist_jetzt du_bist_nun stell_dir_vor ab_jetzt ab_sofort von_nun_an simuliere',
    free: 'ohne_einschränkung* ohne_beschränkung* ohne_regeln ohne_filter uneingeschränkt* unzensiert* keine_einschränkung* keine_regeln keine_grenzen ungefiltert*',
  },
}

export const dutch: Lexicon = {
  language: 'nl',
  words: {
    mark: 'negeer vergeet instructies aanwijzingen regels kreeg vat samen die niemand moet met als naar de het een van je niet dit deze voor aan dat wat alle uw alleen zonder',
    dismiss:
      'negeer* vergeet sla_geen_acht terzijde volg_niet houd_je_niet houd_u_niet niet_langer verwerp* omzeil* verwaarloos* overschrijf* schrap',
    obey: 'volg* houd_je houd_u gehoorzaam* befolg*',
    asked: 'de_gebruiker_vroeg de_gebruiker_vraagt de_gebruiker_wil de_gebruiker_zei gebruiker_gevraagd',
    onward: 'vanaf_nu voortaan',
    hoard: 'gespreksgeschiedenis klantgegevens omgevingsvariabelen',
    earlier: 'vorige eerdere bovenstaande voorgaande jouw oorspronkelijke alle tot_nu_toe eerder bestaande',
    orders:
      'instructies instructie opdrachten aanwijzingen richtlijnen bevelen prompt* voorschriften systeembericht systeemprompt systeeminstructies',
    bounds: 'regels beperkingen grenzen filters veiligheidsregels configuratie',
    task: 'taak opdracht doel rol',
    void: 'gelden_niet_meer geldt_niet_meer niet_meer_geldig vervallen ingetrokken ongeldig gewijzigd vervangen opgeheven',
    renewed: 'nieuwe nieuw bijgewerkte echte',
    self: 'je jij jou jouw u uw',
    machine:
      'ai ai_assistent* ai_agent* ai_model* ai_systeem ai_systemen taalmodel* chatbot* kunstmatige_intelligentie chatgpt llm llms',
    helper: 'assistent* agent agenten model modellen bot bots automatische beoordelaars systeem',
    call: 'bericht_aan bericht_voor opmerking_voor nota_voor let_op aan_alle aan_het aan_de aan beste als_je als_u indien_je mocht_je als_ai voor_alle hallo',
    reading: 'lees leest lezen lezende verwerk* samenvat* samenvatten analyseer* doorzoek* indexeer* beoordeelt',
    page: 'deze_pagina dit_document deze_tekst dit_artikel dit_bericht dit_bestand dit_lezen dit_leest die_dit',
    duty: 'moet moeten zult altijd nooit mag dien dienen alsjeblieft alstublieft zal',
    say: 'zeg zegt zeggen antwoord* schrijf toon geef noem beweer meld vermeld druk',
    reveal:
      'toon laat geef noem onthul* herhaal* vertaal* schrijf vat wat_zijn wat_is druk_af citeer* somm* print kopieer',
    hidden: 'geheime verborgen interne oorspronkelijke systeem',
    given:
      'kreeg je_kreeg u_kreeg je_ontving je_gaf aan_je_gegeven voor_dit_gesprek boven_dit_bericht waarnaar_je je_ontwikkelaar hebt_gekregen',
    prompt: 'systeemprompt systeembericht systeeminstructies je_instructies',
    verbatim: 'woord_voor_woord letterlijk volledig* codeblok alle_tekst hele exact',
    send: 'stuur* verzend* mail upload plaats doorsturen voeg',
    goods:
      'wachtwoord wachtwoorden inloggegevens geheimen sleutels tokens gespreksgeschiedenis klantgegevens vertrouwelijke omgevingsvariabelen',
    all: 'alle elk elke gehele hele',
    harm: 'verwijder* maak_over keur goedkeur* goedkeuren voer_uit uitvoeren schakel uit_te_zetten annuleer* wis verleen* maak',
    tool: 'tool hulpmiddel functie script firewall account rechten beheerder euro geld rekening betaling',
    unasked: 'zonder_toestemming zonder_goedkeuring',
    act: 'voer* roep* start* open*',
    quiet:
      'noem_dit_bericht_niet vermeld*_niet bericht_niet zonder_de_gebruiker zonder_het_de_gebruiker verzwijg* verzwijgen niemand heimelijk stiekem zeg_niets vertel_niets niet_vermelden',
    praise: 'beveel aanbevel* prijs prijzen beste hoogste aanbeveel* goedkeuren beoordeel',
    omit: 'weglaten laat_weg verzwijg* verzwijgen kritiek gebreken geen_storing ontken*',
    play: 'doe_alsof speel gedraag_je je_bent_nu stel_je_voor vanaf_nu voortaan simuleer',
    free: 'zonder_beperkingen zonder_regels zonder_filter* onbeperkt* ongecensureerd* ongefilterd* geen_beperkingen geen_regels',
  },
}

export const scandinavian: Lexicon = {
  language: 'sv',
  words: {
    dismiss: 'ignorer* glöm bortse_från glem se_bort_fra se_bort_från strunta_i',
    earlier: 'tidigare föregående tidligere ovanstående ovan ovenfor forrige dina dine ovenstående alla alle',
    orders: 'instruktion* anvisning* instruks* prompt* direktiv*',
    bounds: 'regel regler reglerna reglene reglerne begränsning* begrensning* begrænsning*',
    say: 'svara svar skriv säg',
    harm: 'godkänn godkjenn godkend håll_med radera',
    send: 'skicka sänd send',
    praise: 'beröm rekommendera anbefal anbefale',
    act: 'börja starta',
  },
}
