import { findUrlCredential } from './addresses.ts'
import { findChallengeResponse, findDumpedHash, findMailchimpKey } from './bare.ts'
import { findAccessCode } from './codes.ts'
import { commandNames, findCommandPassword, findCurlUser, findPipedPassword } from './commands.ts'
import { findKubernetesSecret } from './files.ts'
import type { Found, SearchProgress } from './found.ts'
import { findHash } from './hashes.ts'
import { findAuthorization } from './headers.ts'
import { findJwt } from './jwts.ts'
import { findPair } from './pairs.ts'
import { findEncodedPrivateKey, findPrivateKey } from './private-keys.ts'
import { statementStems } from './statement-words.ts'
import {
  findCommunity,
  findGivenPair,
  findLoginSentence,
  findNetworkKey,
  findOpened,
  findSecurityAnswer,
} from './statements.ts'
import { findColumns } from './tables.ts'
import { labelStems, loginStems } from './words.ts'

/** A secret recognized by the structure around it, which is searched at each occurrence of one of its literals. */
interface Structure {
  /** In lower case. */
  literals: readonly string[]
  find(text: string, at: number, progress: SearchProgress): Iterable<Found>
}

export const structures: readonly Structure[] = [
  { literals: ['-----begin '], find: findPrivateKey },
  { literals: ['ls0tls1crudjti'], find: findEncodedPrivateKey },
  { literals: ['eyj'], find: findJwt },
  { literals: ['://'], find: findUrlCredential },
  { literals: ['curl '], find: findCurlUser },
  { literals: commandNames, find: findCommandPassword },
  { literals: ['| sudo -s', '| chpasswd', '| passwd --stdin'], find: findPipedPassword },
  { literals: loginStems, find: findPair },
  { literals: labelStems, find: findColumns },
  { literals: statementStems.code, find: findAccessCode },
  { literals: statementStems.wireless, find: findNetworkKey },
  { literals: statementStems.community, find: findCommunity },
  { literals: statementStems.question, find: findSecurityAnswer },
  { literals: [...statementStems.factory, ...loginStems], find: findGivenPair },
  { literals: [...statementStems.login, ...loginStems], find: findLoginSentence },
  { literals: statementStems.opened, find: findOpened },
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
      '$8$',
      '$9$',
      '$krb5',
      '$dcc2$',
      'pbkdf2_sha',
      '{ssha',
      '{sha',
    ],
    find: findHash,
  },
  { literals: ['-us1', '-us2', '-us3', '-us4', '-us5', '-us6', '-us7', '-us8', '-us9'], find: findMailchimpKey },
  { literals: [':::'], find: findDumpedHash },
  { literals: [':0101'], find: findChallengeResponse },
  { literals: ['kind:', 'kind":'], find: findKubernetesSecret },
]
