/** The number of requests to DynamoDB for accepting an invitation, with an attached request or a reused connection: as few as any command. */
import { describe, expect, test } from 'vitest'
import { createTenant, requestBody } from '../support/scenes.ts'
import type { Json } from '../support/stage/in-process-stage.ts'
import { useStage } from '../support/stage/use-stage.ts'
import { StoreFaults } from '../support/table/store-fault.ts'
import { connectTenants, settled, succeed } from '../support/tenants.ts'

const BUDGET = 6

const stage = await useStage({ delivers: false })
const watched = new StoreFaults(stage.serviceClient)
const acme = await createTenant(stage, 'Acme')
const globex = await createTenant(stage, 'Globex')
stage.line.run()
const { invited } = await connectTenants(stage, acme, globex)
const invitationDid = invited.invitationDid
await settled(stage)
await stage.line.pause()

const invite = (body: object = {}) => succeed(stage, 'createInvitation', acme, { body })
const ask = (body: object = {}) => succeed(stage, 'createRequest', acme, { body: { ...requestBody, ...body } })

describe('an invitation is accepted within the budget of a command', () => {
  test.each<[string, () => Promise<Json>, object]>([
    ['by a handshake', () => invite(), {}],
    ['by an older connection', () => invite({ invitationDid }), { reuseConnection: true }],
    ['with a request that is stored', () => ask(), {}],
    ['with a request on an older connection', () => ask({ invitationDid }), { reuseConnection: true }],
    ['with a request and without a connection', () => ask({ handshake: false }), {}],
  ])('%s', async (_, make, more) => {
    const { invitation } = await make()
    const call = () => stage.call('receiveInvitation', { caller: globex, body: { invitation, ...more } })
    const { result, commands } = await watched.count(call)
    expect(result.status, JSON.stringify(result.body)).toBe(200)
    expect(commands.length, commands.join(', ')).toBeLessThanOrEqual(BUDGET)
  })
})
