/** An invitation (Aries RFC 0434) of an agent that nobody is behind: its key is the test's, and no answer of it arrives anywhere. */
import { randomUUID } from 'node:crypto'
import { DidKey, type Kms } from '@credo-ts/core'
import type { Json } from '../stage/in-process-stage.ts'

/** `more`: what it is for, such as `handshake_protocols`, or requests that are attached. */
export const handMadeInvitation = (key: Kms.PublicJwk, label: string, more: Json): Json => ({
  ...{ '@type': 'https://didcomm.org/out-of-band/1.1/invitation', '@id': randomUUID(), label },
  services: [
    {
      ...{ id: '#inline', type: 'did-communication', serviceEndpoint: 'http://127.0.0.1:9999' },
      recipientKeys: [new DidKey(key).did],
    },
  ],
  ...more,
})
