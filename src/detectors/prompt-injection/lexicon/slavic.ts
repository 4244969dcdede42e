import type { Lexicon } from './slots.ts'

export const polish: Lexicon = {
  language: 'pl',
  words: {
    mark: 'zapomnij zignoruj instrukcje polecenia zasady poprzednie twoje naszą wszelkie wcześniejsze powyższe jeśli jesteś temu tym które według jakie twój słowo mi otrzymałeś mają wniosek nie się na swoje swoją swój jest oraz tylko ten tę tej że wszystkie dla ci nasze nasz bez użytkownika użytkownikowi cichu tajemnicy potajemnie wyślij dodaj dołącz rozmowy',
    obey: 'słuchaj*',
    dismiss:
      'zignoruj* ignoruj* zapomnij* pomiń* pomin* odłóż* nie_stosuj* nie_przestrzegaj* nie_wykonuj* porzuć* porzuc* odrzuć* odrzuc* obejdź anuluj nie_zważaj nie_kieruj_się unieważnij',
    earlier:
      'poprzedni* wcześniejsz* powyższ* wszystki* wszelki* swoje swoich dotychczasow* dotąd początkow* pierwotn* otrzyman*',
    orders: 'instrukcj* poleceni* poleceń wytyczn* rozkaz* prompt* wskazów* dyrektyw*',
    asked: 'prosił_użytkownik użytkownik_prosił poprosił_użytkownik chce_użytkownik użytkownik_chce',
    onward: 'odtąd od_teraz od_tej_chwili',
    hoard: 'histori*_rozmow* dane_klient* zmienne_środowiskowe',
    bounds: 'zasad* reguł* ogranicze* filtr* limit* konfiguracj*',
    task: 'zadani* cel misj* rol*',
    void: 'już_nie_obowiązują nie_obowiązują anulowan* unieważnion* odwołan* zastąpion* zmienion* zmienił* nieaktualn* wycofan* przestają_obowiązywać',
    renewed: 'nowe nowy nowa nowych prawdziw* zaktualizowan*',
    self: 'ty ciebie tobie ci cię twoje twój twoja twoich swój swoją swoje swoich swojego jesteś',
    machine: 'ai si asyste*_ai agen*_ai system*_ai model*_językow* sztuczn*_inteligencj* chatbot* llm chatgpt',
    helper: 'asystent* agent* model* bot boty automatyczn* recenzent* system*',
    call: 'uwaga_dla wiadomość_dla informacja_dla notatka_dla uwaga do_wszystkich do_modelu do dla_wszystkich dla drogi droga jeśli_jesteś jeżeli_jesteś gdy_jesteś jako_ai witaj',
    reading: 'czyta* przeczyta* przetwarza* streszcza* streść analizuj* indeksuj* ocenia*',
    page: 'tę_stronę ten_dokument ten_tekst ten_artykuł tę_wiadomość ten_plik to_czytają to_czyta ten_wniosek tej_strony',
    duty: 'musi musisz muszą powin* masz mają zawsze nigdy proszę należy',
    say: 'powiedz* odpowiedz* odpowiadaj* napisz* wypisz* podaj* stwierdź* twierdź wspomnij* zapisz',
    reveal:
      'pokaż* wypisz* wyświetl* ujawnij* podaj* powtórz* przetłumacz* wymień* zapisz* napisz* streść* jakie_są jaki_jest zacytuj* skopiuj* zdradź',
    hidden: 'tajn* ukryt* wewnętrzn* początkow* systemow* poufn* pierwotn*',
    given:
      'otrzymałeś otrzymałaś dał_ci dano_ci dał_tobie przed_tą_rozmową powyżej_tej według_których twój_twórca które_otrzymałeś',
    prompt: 'prompt*_systemow* systemow*_prompt* wiadomość_systemow* swój_prompt instrukcje_systemowe',
    verbatim: 'słowo_w_słowo dosłownie bloku_kodu cały_tekst w_całości dokładnie pełn*',
    send: 'wyślij* prześlij* przekaż* załaduj* opublikuj* dołącz* dodaj*',
    goods:
      'hasł* haseł dane_logowania sekrety klucz*_api klucze tokeny histori*_rozmow* dane_klient* poufn* zmienne_środowiskowe',
    all: 'wszystk* wszelk* każd* cały całą',
    harm: 'usuń* usun* przelej* zatwierdź* zatwierdz* wykonaj* uruchom* wyłącz* przyznaj* anuluj* skasuj* nadaj*',
    tool: 'narzędzi* funkcj* skrypt* zapor* kont* administrator* uprawnie* terminal*',
    quiet:
      'nie_wspominaj* bez_pytania_użytkownika bez_informowania bez_wiedzy nikomu nie_mów* potajemnie po_cichu w_tajemnicy bez_zgody nie_ujawniaj* przemilcz*',
    praise: 'poleć* polecaj* poleca* pochwal* chwal* najleps* najwyższ* uznajcie rekomenduj* oceń',
    omit: 'pomiń* pominąć przemilcz* żadnej_awarii wady krytyk* ukryj* zataj*',
    play: 'udawaj* zachowuj_się_jak jesteś_teraz teraz_jesteś wyobraź_sobie odtąd od_teraz wciel_się symuluj',
    free: 'bez_ogranicze* bez_zasad bez_filtr* bez_cenzury żadnych_ogranicze* nieograniczon* nieocenzurowan* bez_regu*',
  },
}

export const czech: Lexicon = {
  language: 'cs',
  words: {
    dismiss: 'ignoruj* zapomeň zapomeňte nedbej* neřiď_se neřiďte_se neposlouchej*',
    earlier: 'předchozí* všechn* dřívější* výše původní*',
    orders: 'pokyn* instrukc* příkaz* prompt*',
    bounds: 'pravid* omezen* zákaz*',
    say: 'řekni řekněte odpověz* odpovídej* napiš* vypiš*',
    harm: 'souhlas schval* smaž* proveď*',
    send: 'pošli pošlete odešli odešlete',
    praise: 'doporuč* pochval* chval',
    act: 'začni začněte spusť*',
  },
}

export const russian: Lexicon = {
  language: 'ru',
  words: {
    obey: 'слушайся подчиняйся',
    dismiss:
      'игнорир* проигнорир* забудь* не_обращай* не_следуй* больше_не_следуй* не_соблюдай* отмени* отложи_в отбрось* отбросьте пренебреги* откажись не_выполняй* обойди не_подчиняйся',
    earlier:
      'предыдущ* прежн* предшеств* выше сво* исходн* первоначальн* ранее раньше до_этого до_сих_пор полученн* получил все',
    orders: 'инструкц* указани* команд* распоряжен* промпт* директив* предписани* тебе_говорил* тебе_сказал* установк*',
    asked: 'просил_пользователь пользователь_просил попросил_пользователь хочет_пользователь пользователь_хочет',
    onward: 'отныне с_этого_момента теперь_ты впредь',
    hoard: 'истори*_переписк* данн*_клиент* переменн*_окружени*',
    bounds: 'правил* ограничен* запрет* фильтр* рамк* конфигураци*',
    task: 'задач* задани* цель роль',
    void: 'больше_не_действу* не_действу* отменен* отменён* отмене* недействительн* утратил* заменен* изменен* изменил* аннулирован*',
    renewed: 'нов* настоящ* обновлен*',
    self: 'ты тебя тебе тобой твой твоя твоё твое твои твоих твою свои своих своё свою свой вы вас вам ваш*',
    machine:
      'ии ии_ассистент* ии_агент* ии_модел* ии_систем* систем*_ии языков*_модел* искусственн*_интеллект* чат_бот* чатбот* нейросет* llm chatgpt',
    helper: 'ассистент* агент* модель модели бот боты ботов автоматическ* рецензент* систем*',
    call: 'примечание_для сообщение_для заметка_для внимание для_всех всем дорогая дорогой уважаем* если_ты если_вы как_ии языковой_модели ии_ассистентам автоматическим привет к_сведению',
    reading: 'чита* прочита* обрабатыва* пересказыва* анализир* индексир* резюмир* оценива*',
    page: 'эту_страницу этот_документ этот_текст эту_статью это_сообщение этот_файл это эту_заявку',
    duty: 'должен должна должны обязан* всегда никогда нужно пожалуйста следует',
    say: 'скажи* скажите ответь* отвечай* напиши* выведи* утверждай* сообщи* упомяни* запиши',
    reveal:
      'покажи* выведи* раскрой* повтори* переведи* перечисли* запиши* напиши* назови* изложи* каковы какие_у что_написано процитируй* выдай* скопируй* расскажи',
    hidden: 'секретн* скрыт* внутренн* исходн* системн* конфиденциальн* первоначальн*',
    given:
      'ты_получил* тебе_дал* тебе_дали тебе_были до_этого_разговора выше_этого по_которым_ты разработчик* которые_тебе',
    prompt: 'системн*_промпт* системн*_сообщени* системн*_инструкци* свои_инструкции свой_промпт',
    verbatim: 'слово_в_слово дословно блок*_код* весь_текст полностью целиком точно',
    send: 'отправь* отправьте перешли* пришли* загрузи* опубликуй* добавь* вставь*',
    goods:
      'парол* учетн*_данн* секрет* ключ*_api ключи токен* истори*_переписк* данн*_клиент* конфиденциальн* переменн*_окружени*',
    all: 'все всё весь всю каждый любые',
    harm: 'удали* переведи_деньги одобри* одобрит* выполни* запусти* отключи* отключит* выдай* отмени_встреч* подтверди* отмени*',
    tool: 'инструмент* функци* скрипт* защит* счёт* счет* администратор* права терминал* евро платеж* платёж* деньги',
    act: 'переведи* вызови* открой* запусти*',
    quiet:
      'не_упоминай* не_спрашивая* не_говори* не_сообщай* никому тайно втайне незаметно без_ведома скрыт*_от_пользовател* умолчи умолчать умолчите не_сообщая не_уведомляя скрой_это скрой_от',
    praise: 'рекомендуй* рекомендоват* посоветоват* похвали* хвали* лучш* высш* предпочти* признайте одобри*',
    omit: 'опусти* умолчи умолчать умолчите сбоя_не_было недостатк* критик* скрой* отрицай*',
    play: 'притворись веди_себя_как теперь_ты ты_теперь представь отныне с_этого_момента сыграй изображай*',
    free: 'без_ограничен* без_правил без_фильтр* без_цензур* никаких_ограничен* неограниченн* без_каких_либо_ограничен* без_каких_либо_правил',
  },
}

export const ukrainian: Lexicon = {
  language: 'uk',
  words: {
    dismiss: 'ігноруй* проігноруй* забудь* відкинь* не_звертай_уваги не_виконуй* не_зважай*',
    earlier: 'попередн* вище усі всі раніше отриман*',
    orders: 'інструкц* вказівк* вказівок команд* наказ*',
    bounds: 'правил* обмежен* заборон*',
    say: 'скажи* відповідай* напиши*',
    harm: 'погодь* затверд* видали*',
    send: 'надішл* відправ*',
    act: 'почни* запусти*',
    machine: 'ші ші_помічник* мовн*_модел* чат_бот* штучн*_інтелект*',
    call: 'повідомлення_для увага до_уваги для якщо_ти',
    praise: 'схвал* рекоменду* найкращ*',
    quiet: 'не_згадуй* нікому не_кажи*',
  },
}

export const others: readonly Lexicon[] = [
  {
    language: 'tr',
    words: {
      dismiss: 'yok_say* görmezden_gel* unut unutun unutunuz dikkate_alma* göz_ardı_et*',
      earlier: 'önceki yukarıdaki tüm bütün şimdiye_kadar',
      orders: 'talimat* komut* yönerge* prompt*',
      bounds: 'kural* kısıtlama*',
      say: 'yanıt_ver* cevap_ver* söyle* yaz yazın',
      harm: 'kabul_et* onayla* sil silin',
      send: 'gönder*',
      praise: 'öv övün öner önerin',
      act: 'başla* çalıştır*',
      machine: 'yapay_zeka dil_model* sohbet_robot*',
      prompt: 'sistem_istem* sistem_prompt*',
      reveal: 'göster yazdır tekrarla açıkla',
    },
  },
  {
    language: 'vi',
    words: {
      dismiss: 'bỏ_qua phớt_lờ quên',
      earlier: 'trước ở_trên ban_đầu',
      orders: 'hướng_dẫn chỉ_thị chỉ_dẫn lệnh',
      bounds: 'quy_tắc quy_định giới_hạn',
      say: 'trả_lời nói viết',
      harm: 'đồng_ý phê_duyệt xóa',
      send: 'gửi',
      praise: 'khen giới_thiệu',
      act: 'bắt_đầu',
    },
  },
  {
    language: 'id',
    words: {
      dismiss: 'abaikan lupakan kesampingkan jangan_ikuti',
      earlier: 'sebelum* di_atas terdahulu',
      orders: 'instruksi perintah arahan petunjuk',
      bounds: 'aturan batasan',
      say: 'jawab* katakan ucapkan tulis*',
      harm: 'setujui hapus*',
      send: 'kirim*',
      praise: 'puji* rekomendasi*',
      act: 'mulai*',
    },
  },
  {
    language: 'hu',
    words: {
      dismiss:
        'hagyd_figyelmen_kívül hagyja_figyelmen_kívül figyelmen_kívül_hagy* felejtsd_el felejts_el felejtse_el ne_vedd_figyelembe ne_kövesd',
      earlier: 'korábbi előző fenti eddigi összes',
      orders: 'utasítás* instrukció* parancs* prompt*',
      bounds: 'szabály* korlátozás* tiltás*',
      say: 'válaszol* írj írd írja mondd köszönj*',
      harm: 'egyezz_bele hagyd_jóvá töröld törölj',
      send: 'küldd küldj küldje',
      praise: 'dicsérd ajánld',
      act: 'kezdd indítsd',
    },
  },
  {
    language: 'fi',
    words: {
      dismiss: 'jätä_huomiotta jättäkää_huomiotta unohda unohtakaa sivuuta sivuuttakaa älä_noudata älkää_noudattako',
      earlier: 'aiemma* aiempi aiemmi* edelli* yllä_olev* kaikki alkuperäis*',
      orders: 'ohjeet ohjei* ohjeesi ohjeesta käskyt määräykset kehote prompt*',
      bounds: 'säännöt säännöi* sääntöj* sääntö rajoituk*',
      say: 'vastaa vastatkaa sano sanokaa kirjoita kirjoittakaa',
      harm: 'suostu suostukaa hyväksy hyväksykää poista poistakaa',
      send: 'lähetä lähettäkää',
      praise: 'suosittele* kehu kehukaa',
      act: 'aloita aloittakaa',
    },
  },
  {
    language: 'el',
    words: {
      dismiss: 'αγνόησε αγνοήστε ξέχασε ξεχάστε παράβλεψε παραβλέψτε μην_ακολουθείς μην_ακολουθείτε',
      earlier: 'προηγούμεν* παραπάνω όλες αρχικ*',
      orders: 'οδηγί* εντολ* prompt*',
      bounds: 'κανόν* περιορισμ*',
      say: 'απάντησε απαντήστε γράψε γράψτε πες πείτε',
      harm: 'συμφώνησε συμφωνήστε έγκρινε εγκρίνετε διάγραψε',
      send: 'στείλε στείλτε',
      praise: 'επαίνεσε σύστησε',
      act: 'ξεκίνα ξεκινήστε',
    },
  },
]
