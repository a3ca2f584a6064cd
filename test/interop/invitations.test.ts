/** Invitations between two tenants, over HTTP alone. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTenant } from '../support/scenes.ts'
import { type Caller, type InProcessStage, startInProcessStage } from '../support/stage/in-process-stage.ts'
import { connectionOf, connectTwo, succeed } from '../support/tenants.ts'

let stage: InProcessStage
let acme: Caller
let globex: Caller

beforeAll(async () => {
  stage = await startInProcessStage()
  stage.line.run()
  acme = await createTenant(stage, 'Acme')
  globex = await createTenant(stage, 'Globex')
})
afterAll(() => stage.stop())

describe('an invitation that another tenant receives', () => {
  test('is completed on both sides, and its record is done', async () => {
    const { invited, received, inviters, invitees } = await connectTwo(stage, acme, globex, {
      invitation: { alias: 'A customer' },
      receipt: { alias: 'A supplier' },
    })
    expect(received).toMatchObject({
      outOfBandRecord: { role: 'receiver', state: 'prepare-response', outOfBandInvitation: { label: 'Acme' } },
      connectionRecord: { state: 'request-sent', role: 'requester', alias: 'A supplier', theirLabel: 'Acme' },
    })
    expect(inviters).toMatchObject({ theirLabel: 'Globex', role: 'responder', alias: 'A customer' })
    expect(invitees.id).toBe(received.connectionRecord.id)
    for (const [caller, id] of [
      [acme, invited.outOfBandRecord.id],
      [globex, received.outOfBandRecord.id],
    ] as const)
      expect(await succeed(stage, 'getOutOfBandRecordById', caller, { path: { outOfBandId: id } })).toMatchObject({
        state: 'done',
      })
  })
})
