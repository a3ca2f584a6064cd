/** What every operation rejects, by its contract: unauthenticated callers, malformed ids, unreadable bodies. */
import { describe } from 'vitest'
import type { Contract } from '../../lib/interface/contract.ts'
import { OPERATIONS } from '../../lib/interface/operations.ts'
import { BAD_TOKENS, NO_TOKEN } from '../support/api/bad-tokens.ts'
import { rejectsInvalidBodies, rejectsMalformedIds, rejectsUnauthenticatedCallers } from '../support/api/rejections.ts'
import { parametersOf } from '../support/calls/request-line.ts'
import { contractOf } from '../support/source/operation-functions.ts'

/** At the gateway's authorizer, and where a token is optional. */
describe.each(['SendMessage', 'RegisterNotificationWebhook'])('%s, with any bad token', (operationId) => {
  rejectsUnauthenticatedCallers(contractOf(operationId), Object.values(BAD_TOKENS))
})

const all = (fits: (contract: Contract) => unknown) => OPERATIONS.filter(fits)

describe.each(all(({ security }) => security !== 'none'))('$operationId', (contract) => {
  const some = [BAD_TOKENS['an expired token'], BAD_TOKENS['the key of another issuer'], BAD_TOKENS['no role']]
  rejectsUnauthenticatedCallers(contract, contract.security === 'token' ? [...some, ...Object.values(NO_TOKEN)] : some)
})

/** Those in OAuth's form: attacks/openid4vp, unit/http/wallet-contracts. */
const inOurForm = ({ errors }: Contract) => errors === undefined

describe.each(all((contract) => inOurForm(contract) && parametersOf(contract).length > 0))(
  '$operationId',
  rejectsMalformedIds,
)
describe.each(all((contract) => inOurForm(contract) && contract.body))('$operationId', rejectsInvalidBodies)
