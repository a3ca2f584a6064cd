/** What every operation refuses, by its contract: all of it for one of each kind, and of each kind some for every operation. */
import { describe, expect, test } from 'vitest'
import type { Contract } from '../../lib/interface/contract.ts'
import { OPERATIONS } from '../../lib/interface/operations.ts'
import {
  refusesMalformedIds,
  refusesSomeBodies,
  refusesSomeMalformedIds,
  refusesSomeStrangers,
  refusesStrangers,
  refusesUnreadableBodies,
} from '../support/api/refusals.ts'
import { parametersOf } from '../support/calls/request-line.ts'
import { contractOf } from '../support/source/operation-functions.ts'

/** With a token, and with one that is optional. */
const WITH_TOKENS = ['GetConnectionById', 'RegisterNotificationWebhook']
const WITH_IDS = [
  ['GetConnectionById', 'connectionId'],
  ['ReceiveDidcomm', 'tenantId'],
  ['GetTailsFile', 'hash'],
] as const
const WITH_BODIES = ['SendMessage', 'RegisterNotificationWebhook', 'ReceiveDidcomm']

describe.each(WITH_TOKENS)('%s', (operationId) => {
  refusesStrangers(contractOf(operationId))
})

describe.each(WITH_IDS)('%s', (operationId, name) => {
  refusesMalformedIds(contractOf(operationId), name)
})

describe.each(WITH_BODIES)('%s', (operationId) => {
  refusesUnreadableBodies(contractOf(operationId))
})

const all = (fits: (contract: Contract) => unknown) => OPERATIONS.filter(fits)

describe.each(all(({ security }) => security !== 'none'))('$operationId', refusesSomeStrangers)
/** Those in OAuth's form: attacks/openid4vp, unit/http/wallet-contracts. */
const inOurForm = ({ errors }: Contract) => errors === undefined

describe.each(all((contract) => inOurForm(contract) && parametersOf(contract).length > 0))(
  '$operationId',
  refusesSomeMalformedIds,
)
describe.each(all((contract) => inOurForm(contract) && contract.body))('$operationId', refusesSomeBodies)

test('every kind of security is among those that are tested in full', () => {
  const kinds = new Set([...WITH_TOKENS, ...WITH_BODIES].map((operationId) => contractOf(operationId).security))
  expect([...kinds].toSorted()).toEqual([...new Set(OPERATIONS.map(({ security }) => security))].toSorted())
})
