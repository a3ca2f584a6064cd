/** Which forms of a DID may become the DID of a connection. */
import { expect, test } from 'vitest'
import { mayBeTheirDid } from '../../../../lib/agent/dids/their-did-forms.ts'

const SHORT = 'did:peer:4zQmd8CpeFPci817KDsbSAKWcXAE2mjvCQSasRewvbSF54Bd'
const KEY = 'z6MkhYBKjQonT2odhM9gzSsEgnrqN3prsca8HDxKiBbtVyrX'

const ALLOWED = [
  `did:key:${KEY}`,
  `did:peer:0${KEY}`,
  `did:peer:2.V${KEY}.SeyJ0IjoiZG0ifQ==.Sa-b_c`,
  `${SHORT}:z2M1k7h4psgp4CmJcnQn2Ljp7Pz7ktsd7oBhMU3dWY5s4fhFNj17`,
  'did:web:example.org',
  'did:web:example.org%3A8443:wallets:alice',
  'did:webvh:QmXyz:example.org',
  'did:sov:WgWxqztrNooG92RXvxSTWv',
  'did:indy:sovrin:WgWxqztrNooG92RXvxSTWv',
]

test.each(ALLOWED)('one that resolves to its document may: %s', (did) => {
  expect(mayBeTheirDid(did)).toBe(true)
  for (const end of ['?x=1', '#key-1', '/a', ';service=a', '?', '#', ':', '\n', ' ', '?versionId=1#key-1'])
    expect(mayBeTheirDid(`${did}${end}`)).toBe(false)
})

test.each([
  'not a DID',
  '',
  'did:web:',
  'did:WEB:example.org',
  'did:web:example.org%3',
  `did:peer:1${KEY}`,
  `did:peer:3${KEY}`,
  SHORT,
  `${SHORT}?x=${KEY}:${KEY}`,
])('another may not: %s', (did) => {
  expect(mayBeTheirDid(did)).toBe(false)
})
