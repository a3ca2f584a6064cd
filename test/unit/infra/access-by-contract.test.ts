/** Rights that follow from a contract: a new operation of a usual kind needs no line in infra/access.ts, and may no more than what it shows. */
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { accessByContract } from '../../../infra/access/by-contract.ts'
import { allows } from '../../../infra/roles/policy.ts'
import { statementsOf } from '../../../infra/roles/statements.ts'
import type { Contract } from '../../../lib/interface/contract.ts'
import { ConnectionRecord } from '../../../lib/records/connection.ts'
import { ProofRecord } from '../../../lib/records/proof.ts'

const contract = (more: Partial<Contract>): Contract => ({
  ...{ operationId: 'New', method: 'GET', path: '/new', summary: 'New', security: 'token', answers: { 200: v.any() } },
  ...more,
})

const may = (more: Partial<Contract>, action: string, key: string): boolean =>
  allows(statementsOf(accessByContract(contract(more)) ?? []), {
    action: `dynamodb:${action}`,
    resource: 'Table',
    context: { 'dynamodb:LeadingKeys': [key] },
  })

const KEYS = { connection: 'acme|ConnectionRecord|c', proof: 'acme|ProofRecord|p', secret: 'acme|key|k' }

describe('an operation that shows', () => {
  test('a record gets it, and no other', () => {
    const shows = { answers: { 200: ConnectionRecord } }
    expect(may(shows, 'GetItem', KEYS.connection)).toBe(true)
    for (const action of ['Query', 'PutItem', 'DeleteItem']) expect(may(shows, action, KEYS.connection)).toBe(false)
    for (const key of [KEYS.proof, KEYS.secret]) expect(may(shows, 'GetItem', key)).toBe(false)
  })

  test('records queries their list, and no other', () => {
    const lists = { answers: { 200: v.array(ProofRecord) } }
    expect(may(lists, 'Query', KEYS.proof)).toBe(true)
    for (const action of ['GetItem', 'PutItem']) expect(may(lists, action, KEYS.proof)).toBe(false)
    expect(may(lists, 'Query', KEYS.connection)).toBe(false)
  })
})

describe('a step', () => {
  const step = (schema: Contract['answers']): Partial<Contract> => ({
    method: 'POST',
    idempotent: true,
    answers: schema,
  })

  test('of an exchange writes it, and sends', () => {
    const proves = step({ 200: ProofRecord })
    expect(may(proves, 'PutItem', KEYS.proof)).toBe(true)
    expect(may(proves, 'PutItem', KEYS.connection)).toBe(true)
    expect(may(proves, 'DeleteItem', KEYS.proof)).toBe(false)
  })

  test('of a connection sends, and writes no exchange', () => {
    const pings = step({ 200: ConnectionRecord })
    expect(may(pings, 'PutItem', KEYS.connection)).toBe(true)
    expect(may(pings, 'PutItem', KEYS.proof)).toBe(false)
  })
})

test.each<[string, Partial<Contract>]>([
  ['answers with something else', {}],
  ['needs no token', { security: 'none', answers: { 200: ConnectionRecord } }],
  ['changes something else', { method: 'POST', idempotent: true }],
  ['is no step', { method: 'POST', answers: { 200: ConnectionRecord } }],
])('of one that %s nothing follows', (_, more) => {
  expect(accessByContract(contract(more))).toBeUndefined()
})
