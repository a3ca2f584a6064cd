/** Tenant isolation of every operation, by the table of example calls: no caller reaches another agent's data, or learns whether it exists. */
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { errorStatusesOf } from '../../lib/interface/contract.ts'
import { OPERATIONS } from '../../lib/interface/operations.ts'
import { useQuickKeys } from '../support/anoncreds/quick-keys.ts'
import { exampleOf } from '../support/calls/all.ts'
import { type Asked, type CallExample, CallScene } from '../support/calls/call-scene.ts'
import { callInProcess } from '../support/calls/in-process.ts'
import type { Caller } from '../support/stage/in-process-stage.ts'
import { useStage, useWallet } from '../support/stage/use-stage.ts'
import { trustIssuer } from '../support/webhooks/organization-endpoints.ts'

const issuer = await trustIssuer()
const stage = await useStage({ delivers: false })
await useQuickKeys()
stage.line.run()
const wallet = await useWallet({ acceptOffers: false, answerProofs: false })
const call = callInProcess(stage, issuer)
const scene = await CallScene.start(call, wallet)
const { tenantId } = await scene.newTenant()
/** A tenant that manages an organization, and has nothing to do with the scene's. */
const other = { tenantId, organizations: { [tenantId]: ['owner'] } }

/** Its document would be in the table. */
const UNKNOWN_DID = `did:peer:4z${'1'.repeat(46)}`

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/

/** The value with each id of a record in it changed by `rename`. */
const withIds = (value: unknown, rename: (id: string) => string, name = ''): unknown => {
  if (typeof value === 'string') return UUID.test(value) && /Ids?$/.test(name) ? rename(value) : value
  if (Array.isArray(value)) return value.map((member) => withIds(member, rename, name))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([at, member]) => [at, withIds(member, rename, at)]))
}

const idsIn = (asked: Asked): string[] => {
  const ids: string[] = []
  withIds(asked, (id) => {
    ids.push(id)
    return id
  })
  return ids
}

const OF_AGENTS = OPERATIONS.filter(({ security }) => security !== 'none')

describe.each(OF_AGENTS)('$operationId', (contract) => {
  const { operationId, path, errorStatuses } = contract
  let example: CallExample & { caller: Caller }
  /** Those that act in other agents, and may not name any other. */
  let others: Caller[]

  beforeAll(async () => {
    example = await exampleOf(operationId, scene)
    const { unauthorized: stranger } = example
    // A root token with tenants may name any, and manages any organization.
    others = [other, { role: 'RestRootAgent' }, stranger ?? {}]
  })

  test('shows and does nothing of one agent to another, as if it did not exist', async () => {
    const { asked, unauthorized: stranger, isPublic = false } = example
    const ids = idsIn(asked)
    for (const caller of others) {
      const answer = await call(operationId, { ...asked, caller })
      const text = JSON.stringify(answer.body) ?? ''
      if (isPublic) {
        expect(answer.status, text).toBeLessThan(300)
        continue
      }
      for (const id of [...ids, scene.tenantId, await scene.connection()]) expect(text).not.toContain(`"${id}"`)
      // Who names no record asks for what is its own.
      if (ids.length === 0 && stranger === undefined) continue
      expect([403, 404, 422], text).toContain(answer.status)
      expect(errorStatusesOf(contract)).toContain(answer.status)
      const unknown = await call(operationId, { ...(withIds(asked, () => randomUUID()) as Asked), caller })
      expect(unknown).toMatchObject({ status: answer.status, body: answer.body })
      if (answer.status === 403) expect(answer.body).toEqual({ statusCode: 403, error: 'Forbidden' })
    }
  })

  if (errorStatuses?.includes(404) && /\{(?!tenantId\}|orgId\})/.test(path))
    test('of what does not exist is a 404', async () => {
      const { asked, caller } = example
      const ids = Object.entries(asked.path ?? {}).map(([name, value]) =>
        // Whose agent or organization it is decides who may, and comes first.
        name === 'tenantId' || name === 'orgId' ? [name, value] : [name, name === 'did' ? UNKNOWN_DID : randomUUID()],
      )
      const { status, body } = await call(operationId, { ...asked, path: Object.fromEntries(ids), caller })
      expect({ status, message: body.message }).toEqual({
        status: 404,
        message: expect.stringMatching(/^there is no /),
      })
    })

  test('succeeds for who may, after all of that', async () => {
    const { status, body } = await call(operationId, { ...example.asked, caller: example.caller })
    expect(status, JSON.stringify(body)).toBeLessThan(300)
  })
})
