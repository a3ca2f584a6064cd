/** Invitations in URLs, and at them. */
import { beforeEach, describe, expect, test } from 'vitest'
import { invitationAt } from '../../../../lib/agent/invitations/invitation-address.ts'
import { stopAtEnd } from '../../../support/stop-at-end.ts'
import { startFaultyReceiver } from '../../../support/webhooks/faulty-receiver.ts'

const receiver = await stopAtEnd(startFaultyReceiver())

beforeEach(() => {
  receiver.received.length = 0
})

const invitation = {
  '@type': 'https://didcomm.org/out-of-band/1.1/invitation',
  '@id': 'invitation-1',
  label: '~~~~~~???',
  services: ['did:peer:2.service'],
}
const encoded = (encoding: 'base64' | 'base64url') => Buffer.from(JSON.stringify(invitation)).toString(encoding)

test('one is read in either form of base64, the older of which has a plus', async () => {
  expect(encoded('base64')).toContain('+')
  for (const encoding of ['base64', 'base64url'] as const)
    expect(await invitationAt(`https://inviter.example/?a=b&oob=${encoded(encoding)}#c`)).toMatchObject(invitation)
})

const endpoint = {
  serviceEndpoint: 'https://inviter.example',
  recipientKeys: ['did:key:z6MkmjY8GnV5i9YTDtPETC2uUAW6ejw3nk5mXF5yci5ab7th'],
}
const oldInvitation = { '@type': 'https://didcomm.org/connections/1.0/invitation', '@id': 'invitation-2', ...endpoint }
const request = { '@type': 'https://didcomm.org/issue-credential/1.0/offer-credential', '@id': 'request-1' }

describe('of any kind', () => {
  test.each([
    ['oob', invitation],
    ['c_i', oldInvitation],
    ['d_m', { ...request, '~service': endpoint }],
  ])('one is read from the parameter %s, and at an address', async (parameter, message) => {
    const json = JSON.stringify(message)
    const url = `https://inviter.example/?${parameter}=${Buffer.from(json).toString('base64url')}`
    expect(await invitationAt(url)).toMatchObject(message)
    receiver.behave({ status: 200, body: json })
    expect(await invitationAt(receiver.url)).toMatchObject(message)
  })
})

describe('at an address', () => {
  const body = JSON.stringify(invitation)
  const to = (location: string) => ({ status: 302, headers: { location } })

  test('one is found after three redirects, and not after four', async () => {
    receiver.behave(to('/1'), to('/2'), to('/3'), { status: 200, body })
    expect(await invitationAt(receiver.url)).toMatchObject(invitation)
    receiver.behave(to('/1'), to('/2'), to('/3'), to('/4'), { status: 200, body })
    expect(await invitationAt(receiver.url)).toBeUndefined()
  })

  test.each([301, 302, 303, 307, 308])(
    'that redirects by %i to a URL which contains one, that one is read, and nothing is fetched there',
    async (status) => {
      receiver.behave({ ...to(`/?oob=${encoded('base64url')}`), status }, { status: 200, body: '{}' })
      expect(await invitationAt(receiver.url)).toMatchObject(invitation)
      expect(receiver.received).toHaveLength(1)
    },
  )

  test.each([201, 404, 500])('no invitation is read from a response of %i', async (status) => {
    receiver.behave({ status, body, headers: { location: `/?oob=${encoded('base64url')}` } })
    expect(await invitationAt(receiver.url)).toBeUndefined()
  })

  test('one has 64 KiB with the space around it, and no more', async () => {
    const size = 64 * 1024
    receiver.behave({ status: 200, body: body.padEnd(size) }, { status: 200, body: body.padEnd(size + 1) })
    expect(await invitationAt(receiver.url)).toMatchObject(invitation)
    expect(await invitationAt(receiver.url)).toBeUndefined()
  })

  test('no invitation is read from a response that breaks off', async () => {
    receiver.behave({ status: 200, body, headers: { 'content-length': '1000' } })
    expect(await invitationAt(receiver.url)).toBeUndefined()
  })
})
