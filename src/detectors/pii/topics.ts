import { createLabelIndex, type LabelIndex } from '../label-index.ts'
import { countryWords, genericIdWords, idRules } from './ids/all.ts'

/** Labels, separated by `|`, of the topics other than the numbers in `idRules`. */
const words = {
  PHONE:
    'phone|phones|phone number|phone no|telephone|telephone number|tel|tel no|tel nr|telnr|mobile|mobile no|mobile number|mobile phone|cell|cell phone|cellphone|cellular|fax|fax no|telefax|whatsapp|hotline|landline|pager|sms|contact number|contact no|work phone|home phone|desk phone|telefon|telefonnummer|telefon nr|telefonnr|tel nummer|mobil|mobilnummer|mobilnr|mobiltelefon|handy|handynummer|handynr|rufnummer|durchwahl|festnetz|festnetznummer|tfn|tlf|tlf nr|telefone|téléphone|tél|portable|numéro de portable|fixe|télécopie|gsm|joignable au|teléfono|tfno|tlf|móvil|celular|número de teléfono|teléfono fijo|telefono|cellulare|cell|recapito telefonico|recapito|fisso|numero di cellulare|telemóvel|tlm|fone|contacto telefónico|contato telefônico|telefoon|telefoonnummer|mobiel|mobiel nummer|mob|06 nummer|nummer telefoon|komórka|komórkowy|tel kom|faks|numer telefonu|nr telefonu|mobilnummer|växel|direkte nr|direktnummer|hemtelefon|puhelin|puhelinnumero|puh|puhelinnro|puh nro|matkapuhelin|kännykkä|faksi|telefonní číslo|tel číslo|tel č|mobilní|telefonszám|telefon szám|mobilszám|tel sz|vezetékes|număr de telefon|nr de telefon|telefon fix|tel mobil|cep|cep telefonu|cep tel|telefon numarası|телефон|телефона|номер телефона|тел|моб|мобильный|мобильный телефон|сотовый|факс|контактный телефон|мобільний|номер телефону|стаціонарний|контактний телефон|τηλέφωνο|τηλεφώνου|τηλ|κινητό|κιν|σταθερό|φαξ|טלפון|נייד|هاتف|جوال|رقم الهاتف|الجوال|โทร|โทรศัพท์|เบอร์โทร|điện thoại|số điện thoại|sđt|電話|電話番号|携帯|携帯電話|連絡先|お電話|ファックス|携帯番号|电话|手机|手机号|手机号码|联系电话|电话号码|手機|传真|移动电话|전화|전화번호|휴대폰|휴대전화|연락처|핸드폰|팩스|फ़ोन|मोबाइल|nomor telepon|telepon|no hp|no telp|hem tel|mobiltel|whats app',
  SSN: 'ssn|ssns|social security|social security number|social security no|social sec|soc sec|social|social no|social number|taxpayer id|tax payer id|tin|us social security number',
  PHONE_VERB:
    'kontakt|contact|ring|registered|signal|call|call me|text|text me|message|dial|direct|desk|office|reach|reach me|answering|ring me|erreichbar unter|erreichbar|joignez moi au|joindre au|llámame al|chiamami al|appelez|contact me|messages|phone me',
  CARD: 'card|cards|card number|card no|credit card|debit card|cc|pan|visa|mastercard|master card|maestro|amex|american express|diners|discover|jcb|uatp|cvv|cvc|kreditkarte|kreditkarten|kreditkartennummer|kartennummer|karten nr|karte|carte bancaire|carte de crédit|carte bleue|numéro de carte|carte|tarjeta|tarjeta de crédito|número de tarjeta|carta di credito|numero carta|cartão|cartão de crédito|creditcard|creditcardnummer|karta kredytowa|numer karty|karta|kreditkort|kortnummer|kort|luottokortti|korttinumero|kortti|kreditní karta|číslo karty|bankkártya|card de credit|kredi kartı|kart numarası|банковская карта|номер карты|кредитная карта|カード|カード番号|クレジットカード|卡号|信用卡|银行卡|신용카드|카드번호|expiry|expires|exp',
  IP: 'ip|ips|ipv4|ipv6|ip address|ip adresse|host|hosts|hostname|server|servers|addr|address|addresses|node|gateway|dns|client|remote|peer|subnet|ping|ssh|firewall|router|adresse|adresse ip|dirección ip|indirizzo ip|endereço ip|ip adres|adres ip|listen|bind|endpoint|src|dst|dest|source ip|vm|vpn|nat|proxy|login from|connect|connected|connection|request|requests|blocked|attacker|visitor',
  VERSION:
    'version|versions|release|released|rev|revision|ver|build|upgrade|upgraded|update|updated|driver|firmware|patch|sdk|fassung|versión|versione|versão|versie|wersja|wersji|versjon|versio|versiosta|versioon|versionen|verze|verzió|versiunea|sürüm|версия|версии|версію|версія|έκδοση|バージョン|版本|版本号|升级到版本|버전|package|section|chapter|clause|figure|oid|appendix|rfc|paragraph|abschnitt|kapitel|table',
  BANK: 'account number|account no|account|acct|acct no|a c|bank account|checking account|savings account|account num|konto|kontonummer|konto nr',
  SORT_CODE: 'sort code|sort codes|s c|sortcode|bank sort code',
  BSB: 'bsb|bsb number|bsb no|bank state branch',
  BIRTH:
    'date of birth|birth date|birthdate|birthday|dob|d o b|born|born on|do b|geburtsdatum|geburts datum|geburtstag|geb|geb am|geb datum|geboren|geboren am|gebdat|geboren op|date de naissance|naissance|date naiss|date naissance|né le|née le|né e le|né|née|anniversaire|ddn|fecha de nacimiento|fecha nacimiento|nacimiento|fecha nac|f nac|f de nacimiento|nacido|nacida|nacido el|nacida el|cumpleaños|data di nascita|data nascita|nascita|data nasc|nato il|nata il|nato|nata|nato a il|compleanno|data de nascimento|data nascimento|nascimento|d nasc|nasc|nascido|nascida|nascido em|nascida em|aniversário|geboortedatum|geboorte datum|geb dat|geboorte|verjaardag|data urodzenia|urodzony|urodzona|data ur|ur|ur dnia|urodzony dnia|urodziny|urodzenia|födelsedatum|fodelsedatum|födelse datum|född|född den|födelsedag|föd datum|fødselsdato|foedselsdato|fodselsdato|fødsels dato|fødselsdag|født|født den|født d|fødselsdatoen|syntymäaika|syntyma aika|syntymaaika|syntynyt|synt|synt aika|syntymäpäivä|datum narození|datum narozeni|datum nar|dat nar|narozen|narozena|narozený|narozen dne|nar|doğum tarihi|dogum tarihi|doğum günü|doğum|doğum tar|doğumlu|дата рождения|дата рожд|рождения|родился|родилась|д р|день рождения|дата народження|народився|народилася|data nașterii|data nasterii|născut|născută|născut la|născută la|născut ă la|zi de naștere|születési dátum|születési idő|született|szül|szül idő|szül ideje|szül dátum|születésnap|szuletesi datum|szuletesi ido|datum rođenja|datum rojstva|ημερομηνία γέννησης|生年月日|誕生日|出生日|出生日期|生日|出生年月|出生年月日|出生|出生于|出生時間|생년월일|생년 월일|생일|출생일|출생|출생일자|탄생일|تاريخ الميلاد|תאריך לידה|tanggal lahir|ngày sinh|วันเกิด|जन्म तिथि',
  NAME: 'full name|first name|last name|surname|family name|given name|given names|forename|customer name|client name|contact name|contact person|patient name|employee name|employee|account holder|cardholder|card holder|applicant|beneficiary|author|authors|name of patient|vor und nachname|nachname|vorname|familienname|ansprechpartner|ansprechpartnerin|sachbearbeiter|sachbearbeiterin|kontaktperson|mitarbeiter|mitarbeiterin|kontoinhaber|nach name|vor name|nom et prénom|nom prénom|prénom|nom de famille|interlocuteur|personne à contacter|nom client|nom du client|nom du patient|titulaire|nombre y apellidos|apellidos|nombre completo|persona de contacto|titular|nombre cliente|nombre del cliente|nombre del paciente|nome e cognome|cognome|nominativo|referente|persona di contatto|nome cliente|intestatario|nome completo|apelido|sobrenome|pessoa de contacto|pessoa de contato|nome do cliente|nome do paciente|volledige naam|achternaam|voornaam|contactpersoon|naam klant|achter naam|medewerker|imię i nazwisko|nazwisko|imię|osoba kontaktowa|klient|imie nazwisko|pracownik|fullständigt namn|efternamn|förnamn|handläggare|efter namn|anställd|fulde navn|efternavn|fornavn|sagsbehandler|efter navn|medarbejder|fullt navn|etternavn|saksbehandler|etter navn|ansatt|koko nimi|sukunimi|etunimi|yhteyshenkilö|käsittelijä|suku nimi|työntekijä|příjmení|jméno a příjmení|vezetéknév|nume și prenume|ad soyad|фамилия|имя и фамилия|фио|прізвище|氏名|お名前|姓名|성명|이름',
  ADDRESS:
    'address|home address|delivery address|street address|billing address|shipping address|postal address|mailing address|residential address|anschrift|wohnanschrift|lieferadresse|rechnungsadresse|adresse|wohnhaft|wohnort|adresse postale|adresse de livraison|adresse client|domicile|domicilio|dirección|dirección postal|dirección de entrega|direccion envio|indirizzo|indirizzo di casa|indirizzo cliente|residenza|morada|morada de entrega|endereço|endereco cliente|residência|adres|woonadres|bezorgadres|adres klant|postadres|adres zamieszkania|adres korespondencyjny|adres dostawy|miejsce zamieszkania|adress|hemadress|postadress|leverans adress|leveransadress|bostadsadress|hjemmeadresse|postadresse|leverings adresse|leveringsadresse|bopæl|bosted|osoite|kotiosoite|postiosoite|toimitus osoite|toimitusosoite|katuosoite|adresa|lakcím|adres ev|адрес|адреса|διεύθυνση|住所|地址|주소',
  MAC: 'mac|mac address|mac addr|hwaddr|ether|ethernet address|physical address|mac adresse|adresse mac|wifi mac|bluetooth address',
  /** Labels of numbers that do not belong to a person. */
  OTHER:
    'invoice|invoice no|invoice number|order|order no|order number|orders|ticket|tickets|case|issue|ref|reference|ref no|reference number|serial|serial no|serial number|model|model no|part|part no|part number|part num|pn|p n|sku|article|article no|item|item no|item number|batch|lot|lot no|isbn|issn|doi|commit|page|pages|line|rows|amount|price|qty|quantity|total|epoch|timestamp|port|zip|plz|uid|gid|pid|catalogue no|catalog number|cat no|contract|contract no|customer no|customer number|tracking|tracking number|po number|purchase order|vat|year|checksum|offset|bytes|rechnung|rechnungsnummer|bestellung|bestellnummer|artikelnummer|artikel|auftrag|auftragsnr|auftragsnummer|vertragsnummer|kundennummer|aktenzeichen|seite|betrag|facture|commande|référence|dossier|devis|montant|contrat|factura|pedido|referencia|expediente|presupuesto|importe|contrato|fattura|ordine|riferimento|pratica|articolo|importo|preventivo|contratto|fatura|encomenda|referência|processo|artigo|orçamento|factuur|bestelling|referentie|bedrag|offerte|contractnummer|faktura|zamówienie|numer referencyjny|sprawa|artykuł|kwota|oferta|umowa|referens|ärende|belopp|offert|avtal|ordre|sag|varenummer|beløb|tilbud|aftale|referanse|sak|artikkel|beløp|avtale|lasku|tilaus|viite|asia|tuote|summa|tarjous|tili|sopimus|objednávka|spis|zboží|částka|nabídka|smlouva|számla|rendelés|hivatkozás|ügyirat|cikkszám|összeg|ajánlat|számlaszám|szerződés|comanda|referință|dosar|articol|suma|ofertă|cont|sipariş|referans|dosya|ürün|tutar|teklif|hesap|sözleşme|счёт|счет|заказ|ссылка|дело|артикул|сумма|смета|договор|рахунок|замовлення|посилання|справа|сума|кошторис|накладна|договір|τιμολόγιο|παραγγελία|αναφορά|φάκελος|είδος|ποσό|προσφορά|λογαριασμός|σύμβαση|請求書|注文番号|参照|案件|品番|金額|見積|口座|契約|发票|订单号|订单|参考|货号|金额|报价|账户|合同|청구서|주문번호|참조|사건|품번|금액|견적|계좌|계약',
} as const

export type TopicName = keyof typeof words

const names = Object.keys(words) as TopicName[]
const countries = Object.keys(countryWords)

/** Topics are numbers: those of `idRules` by their index, then the others. */
export const topicOf = (name: TopicName): number => idRules.length + names.indexOf(name)
export const GENERIC_ID = idRules.length + names.length
export const COUNTRIES_FROM = GENERIC_ID + 1
/** The topic of a country's name, and of a generic word beside it. */
export const topicOfCountry = (country: string): number => COUNTRIES_FROM + countries.indexOf(country)

let read: LabelIndex<readonly number[]> | undefined

/** The index of all labels, with their topics; built on first use. */
export function readTopics(): LabelIndex<readonly number[]> {
  if (read !== undefined) return read
  const topics = new Map<string, number[]>()
  const add = (list: string, topic: number) => {
    for (const phrase of list.split('|')) {
      const known = topics.get(phrase)
      if (known === undefined) topics.set(phrase, [topic])
      else if (!known.includes(topic)) known.push(topic)
    }
  }
  for (const [at, rule] of idRules.entries()) add(rule.words, at)
  for (const name of names) add(words[name], topicOf(name))
  add(genericIdWords, GENERIC_ID)
  for (const country of countries) add(countryWords[country] ?? '', topicOfCountry(country))
  read = createLabelIndex<readonly number[]>(topics)
  return read
}
