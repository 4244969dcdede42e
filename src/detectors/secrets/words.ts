/** The kind of value that a label announces: a password chosen by a person, a machine-made token, or a login. */
export type SecretKind = 'password' | 'token' | 'login'

/**
 * Names of secrets by language, the only such table. Phrases are words in lower case as
 * returned by `labelWords`, separated by `;`. The end of a compound counts too (`Datenbankkennwort`), so the last
 * part of a compound is enough.
 */
const rows: readonly (readonly [language: string, kind: SecretKind, phrases: string])[] = [
  [
    'en',
    'password',
    'password;passwords;passwd;passphrase;passcode;pass;pwd;pw;psk;pass phrase;pass code;access code;login code;wifi key;wpa key;network key;preshared key;pre shared key;unlock code;seed phrase;recovery phrase;encryption phrase;backup phrase;mnemonic;requirepass;rootpw;bindpw;keypass;storepass;userpass;dbpass;passw;pswd;psswd;pword',
  ],
  ['en', 'password', 'pasword;passwrod;passowrd;paswword;passwor;pssword;passwrd;passord;pasword;passwod;pasphrase'],
  [
    'en',
    'token',
    'secret;secrets;token;tokens;apikey;api key;accesskey;access key;authkey;auth key;secret key;secretkey;private key;privatekey;signing key;signingkey;encryption key;encryptionkey;master key;masterkey;account key;accountkey;storage key;service key;app key;appkey;application key;shared key;sharedkey;license key;licence key;product key;unseal key;recovery key;deploy key;client key;consumer key;session key;webhook key;nonce key;logged in key;authenticator key;credential;cred;creds;auth;key;salt;otp seed;totp seed;2fa seed;fa seed;fa secret;mfa seed;hash seed;setup key;bearer;secert;acess token;tokne;apitoken;community',
  ],
  ['en', 'login', 'login;log in;credentials;credential;user;username;user name;userid;account;sign in;id'],
  [
    'de',
    'password',
    'passwort;passworts;passwortes;kennwort;kennworts;losungswort;zugangscode;zugriffscode;codewort;passsatz',
  ],
  ['de', 'token', 'schlüssel;schluessel;geheimnis;zugriffstoken;zugangstoken;geheimschlüssel'],
  [
    'de',
    'login',
    'zugang;zugangsdaten;anmeldedaten;logindaten;anmeldung;anmelden;benutzer;benutzername;benutzerkennung;konto;kennung',
  ],
  [
    'fr',
    'password',
    'mot de passe;motdepasse;mdp;code d accès;code d acces;code secret;phrase de passe;phrase secrète;passe',
  ],
  [
    'fr',
    'token',
    'clé;cle;clef;jeton;clé api;clé d api;clé secrète;clé privée;clé d accès;secret client;jeton d accès',
  ],
  ['fr', 'login', 'identifiant;identifiants;connexion;connectez;connectez vous;accès;acces;utilisateur;compte'],
  [
    'es',
    'password',
    'contraseña;contrasena;clave de acceso;código de acceso;codigo de acceso;frase de paso;frase secreta;palabra de paso;contrasenya',
  ],
  ['es', 'token', 'clave;clave api;clave de api;clave secreta;clave privada;llave;secreto;token de acceso'],
  ['es', 'login', 'credenciales;acceso;datos de acceso;usuario;cuenta;inicie sesión;inicio de sesión;iniciar sesión'],
  [
    'it',
    'password',
    'codice di accesso;codice d accesso;parola d ordine;frase di accesso;parola di accesso;frase segreta',
  ],
  ['it', 'token', 'chiave;chiave api;chiave segreta;chiave privata;chiave di accesso;segreto;gettone;token di accesso'],
  ['it', 'login', 'credenziali;accesso;dati di accesso;utente;nome utente;accedi'],
  ['pt', 'password', 'senha;palavra passe;palavrapasse;código de acesso;codigo de acesso;frase secreta;frase passe'],
  ['pt', 'token', 'chave;chave api;chave de api;chave da api;chave secreta;chave privada;chave de acesso;segredo'],
  ['pt', 'login', 'credenciais;acesso;dados de acesso;usuário;usuario;utilizador;conta;entre com'],
  ['nl', 'password', 'wachtwoord;paswoord;wachtwoordzin;wachtzin;toegangscode'],
  ['nl', 'token', 'sleutel;geheim;clientgeheim;toegangstoken'],
  ['nl', 'login', 'inloggegevens;toegangsgegevens;toegang;gebruiker;gebruikersnaam;inloggen'],
  ['pl', 'password', 'hasło;hasła;hasłem;hasłu;haśle;haslo;hasla;haslem;kod dostępu;kodem dostępu;fraza hasła'],
  ['pl', 'token', 'klucz;klucza;kluczem;sekret;sekretu;tokenu;tokenem;token dostępu;klucz api;tajny klucz'],
  ['pl', 'login', 'dane logowania;dane dostępowe;dane dostępu;dostęp;użytkownik;konto;zaloguj;zaloguj się'],
  ['ru', 'password', 'пароль;пароля;паролем;паролю;пароле;код доступа;кодом доступа;кодовая фраза;парольная фраза'],
  ['ru', 'token', 'ключ;ключа;ключом;секрет;секрета;токен;токена;токеном;секретный ключ;ключ доступа;ключ api'],
  [
    'ru',
    'login',
    'учетные данные;учётные данные;учетная запись;учётная запись;логин;доступ;данные для входа;реквизиты;реквизиты доступа;пользователь;войдите;вход',
  ],
  ['uk', 'password', 'пароль;паролем;паролю;код доступу;парольна фраза'],
  ['uk', 'token', 'секретний ключ;ключ доступу'],
  ['cs', 'password', 'heslo;hesla;heslem;heslu;přístupový kód'],
  ['cs', 'token', 'klíč;klíč api;kľúč api;klíče;klíčem;kľúč;tajný klíč;přístupový token'],
  ['cs', 'login', 'přihlašovací údaje;přihlášení;uživatel'],
  [
    'sv',
    'password',
    'lösenord;lösenordet;lösenfras;åtkomstkod;adgangskode;adgangskoden;kodeord;kodeordet;passord;passordet',
  ],
  ['sv', 'token', 'nyckel;nyckeln;hemlighet;hemlighed;hemmelighet;nøgle;nøglen;nøkkel;nøkkelen;åtkomsttoken'],
  ['sv', 'login', 'inloggningsuppgifter;inloggning;användare;loginoplysninger;bruger;innloggingsinformasjon;bruker'],
  ['fi', 'password', 'salasana;salasanan;salasanaksi;salasanasi;pääsykoodi;parool'],
  ['fi', 'token', 'avain;avaimen;salaisuus;salainen avain'],
  ['hu', 'password', 'jelszó;jelszava;jelszavam;jelszóval;hozzáférési kód'],
  ['hu', 'token', 'kulcs;kulcsa;titkos kulcs'],
  ['ro', 'password', 'parolă;parola;cod de acces'],
  ['ro', 'token', 'cheie;cheia;cheie api;cheie secretă'],
  ['tr', 'password', 'şifre;şifresi;şifreniz;parolası;parolanız;erişim kodu'],
  ['tr', 'token', 'anahtar;anahtarı;anahtarınız;belirteç;belirteci;gizli anahtar'],
  ['tr', 'login', 'giriş bilgileri;kullanıcı;kullanıcı adı'],
  ['el', 'password', 'κωδικός;κωδικού;κωδικό;συνθηματικό;κωδικός πρόσβασης'],
  ['el', 'token', 'κλειδί'],
  ['vi', 'password', 'mật khẩu;mã truy cập'],
  ['vi', 'token', 'khóa api;khoá api;khóa bí mật;khoá bí mật;mã thông báo'],
  ['id', 'password', 'kata sandi;sandi;kode akses'],
  ['id', 'token', 'kunci api;kunci rahasia;kunci akses'],
  ['hr', 'password', 'lozinka;lozinke;zaporka;geslo;slaptažodis;parole;лозинка;парола'],
  ['zh', 'password', '密码;密碼;口令;访问码;訪問碼;通行码'],
  ['zh', 'token', '密钥;密鑰;秘钥;令牌;私钥;私鑰;金鑰;権杖;权杖'],
  [
    'zh',
    'login',
    '登录信息;登入資訊;账号;账户;帐号;帳號;帳戶;用户名;用戶名;凭据;凭证;憑證;登录;登入;账号密码;帳號密碼',
  ],
  ['ja', 'password', 'パスワード;パスフレーズ;アクセスコード;合言葉;暗証番号;パスコード'],
  ['ja', 'token', 'トークン;キー;シークレット;秘密鍵;apiキー'],
  ['ja', 'login', 'ログイン情報;ログイン;認証情報;アカウント;ユーザー名;ユーザー;接続情報'],
  ['ko', 'password', '비밀번호;암호;패스워드;비번;접속코드'],
  ['ko', 'token', '토큰;시크릿;비밀키;비밀 키;api 키;api키;시크릿 키;액세스 키;인증키;개인키'],
  ['ko', 'login', '로그인 정보;로그인;계정 정보;계정;아이디;사용자;접속 정보;인증 정보'],
  ['ar', 'password', 'كلمة المرور;كلمة السر;رمز الدخول;סיסמה;סיסמא;הסיסמה;รหัสผ่าน;पासवर्ड'],
  ['ar', 'token', 'مفتاح api;المفتاح السري;מפתח api;רמז סודי'],
]

/** The kind of each phrase; if a phrase has two, password precedes token, and token precedes login. */
export const secretPhrases: ReadonlyMap<string, SecretKind> = new Map(
  (['login', 'token', 'password'] as const).flatMap((kind) =>
    rows
      .filter(([, of]) => of === kind)
      .flatMap(([, , phrases]) => phrases.split(';').map((phrase): [string, SecretKind] => [phrase, kind])),
  ),
)

const MAX_STEM = 20
/** Last parts of compounds and of runs without spaces; English words are separate or joined by case or a character. */
const compoundEnds =
  'password;passwd;passphrase;passwort;kennwort;zugangscode;zugriffscode;schlüssel;schluessel;geheimnis;wachtwoord;paswoord;wachtwoordzin;toegangscode;sleutel;geheim;lösenord;lösenfras;åtkomstkod;adgangskode;kodeord;passord;nyckel;nøgle;nøkkel;hemlighet;salasana;avain;jelszó;kulcs;secret;token;apikey;accesskey;secretkey;privatekey;authkey;密码;密碼;口令;访问码;密钥;密鑰;秘钥;令牌;私钥;私鑰;金鑰;パスワード;パスフレーズ;アクセスコード;合言葉;暗証番号;トークン;キー;シークレット;秘密鍵;비밀번호;암호;패스워드;비번;토큰;시크릿;비밀키;키;รหัสผ่าน'.split(
    ';',
  )
const ends = new Map(compoundEnds.map((end) => [end, secretPhrases.get(end) ?? 'token'] as const))

/** The kind named by the end of a compound. */
export function kindOfEnd(word: string): SecretKind | undefined {
  for (let length = Math.min(MAX_STEM, word.length - 1); length > 0; length--) {
    const kind = ends.get(word.slice(-length))
    if (kind !== undefined && (length > 1 || word.length < 12)) return kind
  }
  return undefined
}

/**
 * Where labels are searched in running text: stems, to match inflected forms and compounds too, and longer stems
 * for common words. ASCII letters match in either case; other scripts list their upper-case forms as well.
 */
export const labelStems: readonly string[] = [
  'pass;pasw;pssw;pw;psk;requirepass;secret;secert;token;tokne;creds;credential;_auth;"auth";_salt',
  ...[
    'api',
    'access',
    'auth',
    'private',
    'encryption',
    'signing',
    'master',
    'account',
    'shared',
    'app',
    'service',
  ].flatMap((word) => [`${word}key`, `${word}_key`, `${word}-key`, `${word} key`]),
  'storage_key;license_key;license key;licence key;product key;unseal key;unseal_key;recovery key;recovery_key;deploy_key;deploy key;client_key;consumer_key',
  '_key;nonce_key;logged_in_key;access code;access_code;accesscode;seed phrase;encryption phrase;backup phrase;frase seg;recovery phrase',
  'mnemonic;authenticator key;setup key;wifi key;wpa key;network key;otp_seed;otp seed;otp-seed;2fa seed;mfa seed',
  'kennwort;losungswort;zugangscode;zugriffscode;codewort;schlüssel;schluessel;geheimnis',
  "mdp;mot de passe;clé;clef ;cle_;cle api;jeton;code d'acc;code d’acc;code_d_acc;code secret;phrase secr",
  'contrase;clave;código;codigo;llave;chiave;segret;gettone;codice di acc;codice_di_acc;codice d;parola d;parola_d;frase di;frase de;frase_d;frase sec;frase_sec',
  'senha;palavra-passe;palavra passe;palavra_passe;chave;segredo;wachtwoord;paswoord;wachtzin;toegangscode;sleutel;geheim',
  'hasł;haśl;haslo;haslem;kod dost;kod_dost;klucz;sekret;kodem dost;frazą',
  'парол;Парол;ПАРОЛ;код дост;Код дост;код_дост;кодом дост;кодовая;ключ;Ключ;секрет;Секрет;токен;Токен',
  'heslo;hesla;heslem;heslu;klíč;kľúč;přístupový;lösen;åtkomst;Åtkomst;adgangskod;kodeord;passord;nyckel;nøgle;nøkkel;hemlig;hemmelig',
  'salasana;avain;avaimen;pääsyk;parool;jelsz;kulcs;parol;cheie;cheia;şifre;Şifre;erişim;Erişim;anahtar;belirte',
  'κωδικ;Κωδικ;συνθηματ;Συνθηματ;κλειδ;mật khẩu;Mật khẩu;mã truy;khóa api;khoá api;khóa bí;khoá bí;mã thông;kata sandi;kode akses;kunci;lozink;zapork;slaptažod;лозин',
  '密码;密碼;口令;访问码;訪問碼;通行码;密钥;密鑰;秘钥;令牌;私钥;私鑰;金鑰;权杖',
  'パスワード;パスフレーズ;パスコード;アクセスコード;合言葉;暗証番号;トークン;アクセスキー;apiキー;シークレット;秘密鍵',
  '비밀번호;암호;패스워드;비번;토큰;시크릿;비밀키;비밀 키;비밀_키;api 키;api키;액세스 키;인증키;개인키',
  'كلمة المرور;كلمة السر;رمز;مفتاح;סיסמ;מפתח;รหัสผ่าน;पासवर्ड',
].flatMap((stems) => stems.split(';'))

/** Stems of labels that may be followed by a user name and a password. */
export const loginStems: readonly string[] = [
  'login;log in;credential;username;user name;user/;users:;user:;account:;account (;id/pw;id/p;id / pw;sign in',
  'zugang;anmelde;anmeldung;logindaten;benutzer;konto:;identifiant;connexion;connectez;accès;acces ;utilisateur;compte :;compte:',
  'credencial;acceso;usuari;cuenta:;inicie ses;iniciar ses;credenziali;accesso;dati di acc;utente;accedi;credenciais;acesso;usuári;utilizador;conta:;entre com',
  'inlog;toegang;gebruiker;log in met;dane logow;dane dost;dostęp;użytkownik;zaloguj',
  'учетн;учётн;Учетн;Учётн;логин;Логин;доступ;Доступ;данные для входа;Данные для входа;еквизиты;пользовател;Пользовател;ойдите;přihl;inloggning;giriş;kullanıcı',
  '登录;登入;账号;账户;帐号;帳號;帳戶;用户名;用戶名;凭据;凭证;憑證;ログイン;認証情報;アカウント;ユーザー;接続情報;id/パ;로그인;계정;아이디;사용자;접속;인증 정보',
].flatMap((stems) => stems.split(';'))
