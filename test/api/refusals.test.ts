/** What every operation refuses, by its contract: callers that are not known, ids that are none, bodies that can't be read. */
import { describe } from 'vitest'
import type { Contract } from '../../lib/interface/contract.ts'
import { OPERATIONS } from '../../lib/interface/operations.ts'
import { BAD_TOKENS, NO_TOKEN } from '../support/api/bad-tokens.ts'
import { refusesBodies, refusesMalformedIds, refusesStrangers } from '../support/api/refusals.ts'
import { parametersOf } from '../support/calls/request-line.ts'
import { contractOf } from '../support/source/operation-functions.ts'

/** At the gateway's authorizer, and where a token is optional. */
describe.each(['SendMessage', 'RegisterNotificationWebhook'])('%s, with any bad token', (operationId) => {
  refusesStrangers(contractOf(operationId), Object.values(BAD_TOKENS))
})

const all = (fits: (contract: Contract) => unknown) => OPERATIONS.filter(fits)

describe.each(all(({ security }) => security !== 'none'))('$operationId', (contract) => {
  const some = [BAD_TOKENS['an expired token'], BAD_TOKENS['the key of somebody else'], BAD_TOKENS['no role']]
  refusesStrangers(contract, contract.security === 'token' ? [...some, ...Object.values(NO_TOKEN)] : some)
})

/** Those in OAuth's form: attacks/openid4vp, unit/http/wallet-contracts. */
const inOurForm = ({ errors }: Contract) => errors === undefined

describe.each(all((contract) => inOurForm(contract) && parametersOf(contract).length > 0))(
  '$operationId',
  refusesMalformedIds,
)
describe.each(all((contract) => inOurForm(contract) && contract.body))('$operationId', refusesBodies)
