import { findOracleLogin, findSignature, findUrlCredential } from './addresses.ts'
import { findCommandPassword, findCurlUser, findPipedPassword, findRouterPassword } from './commands.ts'
import { findFirefoxLogin, findIdentifiedBy, findKubernetesSecret, findPgPass } from './files.ts'
import type { Found, SearchProgress } from './found.ts'
import { findHash } from './hashes.ts'
import { findAuthorization, findBearer } from './headers.ts'
import { findEncodedJwt, findJwt } from './jwts.ts'
import { findPrivateKey, findPuttyKey } from './private-keys.ts'
import { findColumn, findPair } from './tables.ts'

/** A secret that is known by the form it stands in; looked for wherever one of its literals stands. */
interface Structure {
  /** In lower case. */
  literals: readonly string[]
  find(text: string, at: number, progress: SearchProgress): Iterable<Found>
}

export const structures: readonly Structure[] = [
  { literals: ['-----begin '], find: findPrivateKey },
  { literals: ['putty-user-key-file-'], find: findPuttyKey },
  { literals: ['eyj'], find: findJwt },
  { literals: ['zxlk'], find: findEncodedJwt },
  { literals: ['://'], find: findUrlCredential },
  { literals: ['curl '], find: findCurlUser },
  {
    literals: [
      'mysql',
      'sshpass',
      'docker login',
      'podman login',
      'redis-cli',
      'http -a',
      'net use',
      'htpasswd ',
      'snmp-server community',
    ],
    find: findCommandPassword,
  },
  { literals: ['| sudo -s'], find: findPipedPassword },
  { literals: ['password 7 ', 'key 7 ', 'secret 7 '], find: findRouterPassword },
  { literals: ['identified by'], find: findIdentifiedBy },
  { literals: ['jdbc:oracle:'], find: findOracleLogin },
  { literals: ['bearer '], find: findBearer },
  { literals: ['login', 'user', 'zugang', 'benutzer', 'credentials', 'account'], find: findPair },
  {
    literals: [
      'password',
      'passwort',
      'kennwort',
      'secret',
      'token',
      'api key',
      'mot de passe',
      'contraseña',
      'senha',
      'hasło',
    ],
    find: findColumn,
  },
  { literals: ['authorization'], find: findAuthorization },
  {
    literals: [
      '$2a$',
      '$2b$',
      '$2x$',
      '$2y$',
      '$1$',
      '$5$',
      '$6$',
      '$apr1$',
      '$argon2',
      '$p$',
      '$h$',
      '$y$',
      'pbkdf2_sha',
      '{ssha',
      '{sha',
    ],
    find: findHash,
  },
  { literals: ['?sig=', '&sig=', '&signature=', 'x-amz-signature=', 'x-goog-signature='], find: findSignature },
  { literals: ['kind:', 'kind":'], find: findKubernetesSecret },
  { literals: [':5432:', ':5433:', ':*:*:'], find: findPgPass },
  { literals: ['encryptedusername"', 'encryptedpassword"'], find: findFirefoxLogin },
]
