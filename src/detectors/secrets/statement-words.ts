/** Words in the place of a value that say something about it: its state, its kind, where it is kept, what a field does. */
export const notAValue =
  /^(?:string|mixed|text|number|varchar|boolean|type|null|none|nil|undefined|true|false|yes|no|not?|n\/a|tbd|todo|any|default|optional|required|mandatory|empty|blank|unknown|unset|missing|invalid|valid|wrong|correct|hidden|visible|plain(?:text)?|expire[sd]?|expiring|revoked|removed|deleted|disabled|enabled|locked|blocked|reset|changed?|rotated|pending|stored|saved|encrypted|hashed|see|ask|use[rsd]?|in|via|from|same|the|this|your|my|our|please|must|should|will|can|at|on|with|for|to|is|are|only|never|always|click|enter|type[sd]?|keepass\w*|vault|1password|lastpass|bitwarden|keychain|saml|ldap|kerberos|oauth2?|radius|sso|mfa|2fa|here|above|below|later|private(?:ly)?|personal|individual|secret|strong|weak|long|short|new|old|ok|okay|done|open|closed|active|inactive|set|sent|sms|email|mail|phone|fixed|good|bad|minimum|maximum|forgotten|forgot|example|sample|placeholder|dummy|confirm(?:ed)?|confirmation|failed|accepted|rejected|manager|generator|username|not-?set|(?:un)?known|varies|various|generated|automatic|auto|self|self-service|on-request|confidential|policy|rules?|length|strength|authentication|protected|based)$|^(?:abgelaufen|geändert|gesperrt|gelöscht|entfernt|deaktiviert|aktiviert?|aktiv|inaktiv|zurückgesetzt|vergessen|vergeben|erforderlich|pflicht(?:feld)?|optional|kein[es]?|keiner|unbekannt|ausstehend|offen|leer|siehe|beim?|bitte|liegt|steht|im|in|wird|wie|wurde|muss|nur|nicht|falsch|richtig|ungültig|gültig|verschlüsselt|verdeckt|persönlich|individuell|geheim|vertraulich|versteckt|folgt|später|fehlt|gespeichert|hinterlegt|intern|selbst|eigenes|neues?|dein|ihr|mein|unverändert|sicher|stark|schwach|ja|nein)$|^(?:expirée?|changée?|modifiée?|supprimée?|désactivée?|activée?|verrouillée?|bloquée?|réinitialisée?|oubliée?|obligatoire|requise?|facultatif|aucune?|inconnue?|vide|voir|cf|demander?|chez|dans|auprès|votre|personnel(?:le)?|confidentiel(?:le)?|masquée?|cachée?|chiffrée?|incorrecte?|erronée?|valide|invalide|à|au|par|en|idem|oui|non|ci-dessous|ci-dessus|retirée?|annulée?)$|^(?:caducad[ao]|vencid[ao]|expirad[ao]|cambiad[ao]|modificad[ao]|eliminad[ao]|borrad[ao]|anulad[ao]|desactivad[ao]|activ[ao]|inactiv[ao]|bloquead[ao]|restablecid[ao]|olvidad[ao]|obligatori[ao]|requerid[ao]|opcional|ningun[ao]|desconocid[ao]|vací[ao]|ver|véase|pedir(?:la)?|preguntar|pendiente|personal|secreta|ocult[ao]|cifrad[ao]|incorrect[ao]|correct[ao]|válid[ao]|inválid[ao]|tu|su|mi|sí|igual|misma?|solicitar|consultar)$|^(?:scadut[ao]|cambiat[ao]|modificat[ao]|eliminat[ao]|rimoss[ao]|disattivat[ao]|attiv[ao]|inattiv[ao]|bloccat[ao]|reimpostat[ao]|dimenticat[ao]|obbligatori[ao]|richiest[ao]|opzionale|nessun[ao]|sconosciut[ao]|vuot[ao]|vedi|vedere|chiedere|presso|nel|nella|personale|segret[ao]|nascost[ao]|cifrat[ao]|errat[ao]|corrett[ao]|valid[ao]|non valida|tua|sua|mia|da|sì|stessa|annullat[ao])$|^(?:expirad[ao]|vencid[ao]|alterad[ao]|trocad[ao]|removid[ao]|excluíd[ao]|desativad[ao]|ativ[ao]|inativ[ao]|bloquead[ao]|redefinid[ao]|esquecid[ao]|obrigatóri[ao]|nenhum[ao]?|desconhecid[ao]|vazi[ao]|veja|consulte|com|na|no|pendente|pessoal|ocult[ao]|criptografad[ao]|cifrad[ao]|errad[ao]|incorret[ao]|corret[ao]|inválid[ao]|sua|seu|minha|mesma|cancelad[ao]|sim|não)$|^(?:verlopen|gewijzigd|verwijderd|uitgeschakeld|ingeschakeld|actief|inactief|geblokkeerd|vergeten|verplicht|vereist|optioneel|geen|onbekend|leeg|zie|vraag|vragen|bij|via|ligt|staat|persoonlijk|geheim|verborgen|versleuteld|onjuist|juist|geldig|ongeldig|uw|jouw|mijn|zelfde|nee|volgt|intern)$|^(?:wygasł[aoy]|zmienion[aeoy]|usunięt[aeoy]|wyłączon[aeoy]|włączon[aeoy]|aktywn[aeoy]|nieaktywn[aeoy]|zablokowan[aeoy]|zresetowan[aeoy]|zapomnian[aeoy]|wymagan[aeoy]|opcjonaln[aeoy]|brak|żadn[aey]|nieznan[aeoy]|pust[aey]|patrz|zobacz|zapytaj|zapytać|poprosić|u|w|na|przez|osobist[aey]|tajn[aey]|ukryt[aeoy]|zaszyfrowan[aeoy]|błędn[aeoy]|nieprawidłow[aey]|poprawn[aeoy]|twoje|swoje|takie|tak|nie|jak)$/u

/** Words of phrases that say where a value is, what it must be or what has happened to it. */
export const insteadOfValue =
  /(?:^|\s)(?:default|example|e\.g\.|beispiel|exemple|ejemplo|esempio|exemplo|voorbeeld|przykład|ask|see|stored|kept|known|lives|request|sent|must|should|characters?|letters|words|digits|never|not|required|vault|keepass\w*|bitwarden|1password|lastpass|at least|please|your|siehe|fragen|erfragen|anfordern|liegt|steht|hinterlegt|muss|mindestens|zeichen|wörter|nicht|tresor|kein[er]?|bitte|dein|ihr|voir|demander|gardée?|doit|au moins|caractères|mots|jamais|pas|coffre|aucune?|votre|ver|pedir(?:la)?|guardad[ao]|debe|al menos|caracteres|palabras|nunca|no|gestor|ningun[ao]|vedi|chiedere|conservat[ao]|deve|almeno|caratteri|parole|mai|non|nessun[ao]|gestore|veja|guardad[ao]|pelo menos|palavras|cofre|nenhuma|zie|vragen|bewaard|moet|minstens|minimaal|tekens|woorden|nooit|niet|kluis|geen|patrz|zapytać|przechowywan[ae]|musi|co najmniej|znaków|słów|nigdy|nie|sejf\w*|brak|pick|choose|wählen|choisir|elegir|scegliere|escolher|kiezen|wybierz)(?![\p{L}\p{M}])/iu

/** Names of values that are several words. */
export const phraseLabel =
  /pass[-_ ]?phrase|(?:backup|encryption|recovery|secret|seed|key|unlock) phrase|phrase (?:secr[eè]te|de passe|de récup)|frase[- ](?:segret|secret|de paso|de contras|di access|de acces|senha|passe|chave|de recup|di recup)|passsatz|kennsatz|merksatz|wacht(?:woord)?zin|herstelzin|fraz[aąęy]|zdanie[- ]has/i

/** A remark that a value has several words. */
export const spacedRemark = /\b(?:spaces?|blanks?|leerzeichen|espac\w+|espaç\w+|spaz\w+|spaties?|spacj\w+)\b/i

/** The login is the one that the maker delivers. */
export const factory =
  /factory|default (?:login|credentials?|account|password)|(?:still|on|has|left at) (?:the |its )?defaults?|werkseinstell|werkszugang|werkspass|auslieferungs|standard(?:zugang|login|passwort|kennwort)|d'usine|d’usine|par défaut|sortie d.usine|de fábrica|por defecto|predeterminad|di fabbrica|predefinit|de fabrica|padrão|fabriek|standaard(?:login|wachtwoord|inlog)|fabryczn|domyśln/i

const toStems = (stems: string): readonly string[] => stems.split(';')

/** Where statements are searched, in lower case; for codes mostly places, which are rarer than words for a code. */
export const statementStems = {
  code: toStems(
    'pin:;pin ;pincode;pin-;geheimzahl;door;alarm;garage;entrance;lobby;barrier;key box;keybox;key safe;lockbox;padlock;locker;safe comb;safe code;safe:;safe in;safe is;safe (;gate code;gate pin;gate open;the gate;tür;hoftor;tresor;schloss;eingang;schranke;spind;pforte;porte ;portail;coffre;cadenas;boîte à cl;digicode;serrure;puerta;portón;caja fuerte;candado;cerradura;porta ;portone;cancello;allarme;cassaforte;lucchetto;serratura;portão;cofre;cadeado;fechadura;deur;poort;kluis;slagboom;sleutelk;drzwi;brama;bramy;sejf;kłódk;szlaban;furtk',
  ),
  wireless: toStems('wifi;wi-fi;wlan;ssid;hotspot'),
  community: toStems('communit;communaut;comunidad;comunit;społeczno'),
  question: toStems(
    'security question;sicherheitsfrage;question de s;question secr;pregunta de s;pregunta secr;domanda di s;domanda segr;pergunta de s;pergunta secr;beveiligingsvraag;geheime vraag;pytanie zab;pytanie pom',
  ),
  factory: toStems(
    "default login;default cred;default account;default pass;default user;on default;at default;factory d;factory l;factory s;factory p;factory c;factory a;werks;auslieferung;standardzug;standardlog;standardpass;standardkenn;d'usine;d’usine;par défaut;fábrica;predeterm;fabbrica;predefin;padrão;fabriek;standaard;fabryczn;domyśln",
  ),
  login: toStems(
    'log je;entrate;entrare;entrar;entra ;acceder;connecte;einlogg;inlogg;accounts;konten;comptes;cuentas;contas;konta ',
  ),
  opened: toStems(
    'opened with;opens with;opened using;unlocked with;unlocks with;unlock it with;decrypted with;decrypt it with;decrypts with;geöffnet;öffne;entpack;ouvert;abierto;aperto;aberto;geopend;otwart',
  ),
}
