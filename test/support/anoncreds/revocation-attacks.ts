/** Revoked credentials as if they were not, and proofs by lists that are not in force. */

import type { Attack } from './attack.ts'
import { altered } from './bare-library.ts'
import {
  COPIED_LIST,
  COPY,
  DEGREE,
  FIRST,
  held,
  NOT_REVOKED,
  secondList,
  showDegree,
  showNotRevoked,
} from './holder.ts'

/** In epoch seconds. */
const YEAR_3000 = 32_503_680_000

export const REVOCATION_ATTACKS: Attack[] = [
  {
    name: 'a credential that was revoked before the end of the interval, by the list from before',
    asked: NOT_REVOKED,
    answer: (request) => showNotRevoked(request, held().revokedCredential, 3, FIRST),
    says: 'the proof of non-revocation is not by the list in force at the end of the interval',
    passesLibrary: true,
  },
  {
    name: 'a credential that was revoked before the end of the interval, as if by the new list',
    asked: NOT_REVOKED,
    answer: (request) =>
      altered(showNotRevoked(request, held().revokedCredential, 3, FIRST), ({ identifiers }) => {
        identifiers[0].timestamp = 150
      }),
    says: 'the proof is not valid',
    passesLibrary: false,
  },
  {
    name: 'a stale status list',
    asked: NOT_REVOKED,
    answer: (request) => showNotRevoked(request, held().credential, 4, FIRST),
    says: 'the proof of non-revocation is not by the list in force at the end of the interval',
    passesLibrary: true,
  },
  {
    name: 'a status list as if it was of a time to come',
    asked: { ...DEGREE, non_revoked: { to: YEAR_3000 } },
    answer: (request) =>
      altered(showNotRevoked(request, held().credential, 4, secondList()), ({ identifiers }) => {
        identifiers[0].timestamp = YEAR_3000
      }),
    says: 'a credential has a time of non-revocation that is in the future',
    passesLibrary: false,
  },
  {
    name: 'a credential without the time of a status list',
    asked: NOT_REVOKED,
    answer: (request) => showDegree(request, held().revokedCredential),
    says: 'a credential is not proved to be not revoked',
    passesLibrary: false,
  },
  {
    name: "a revoked credential by a stranger's registry",
    asked: NOT_REVOKED,
    answer: (request) =>
      altered(showNotRevoked(request, held().revokedCredential, 3, FIRST), ({ identifiers }) => {
        identifiers[0].rev_reg_id = COPY
        identifiers[0].timestamp = COPIED_LIST.timestamp
      }),
    says: 'the revocation registry is not one of the credential definition',
    passesLibrary: true,
  },
]
