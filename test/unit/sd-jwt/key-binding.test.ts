import { expect, test } from 'vitest'
import { type KeyBindingRules, verifyKeyBinding } from '../../../lib/sd-jwt/key-binding.ts'
import { parseSdJwt } from '../../../lib/sd-jwt/parse.ts'
import { digest, newKey, rawJwt, seconds } from '../../support/openid/jwts.ts'
import { foreignIssuer } from './foreign-issuer.ts'

const holder = newKey()
const { issue, present } = foreignIssuer(newKey().privateKey, holder.privateKey)
const sdJwt = await issue({ vct: 'badge', a: 1, b: 2 }, { _sd: ['a', 'b'] })

const expected = { audience: 'x509_hash:abc', nonce: 'nonce-1' }
const now = seconds()
const at = new Date(now * 1000)
const honest = { iat: now, aud: expected.audience, nonce: expected.nonce }

const verify = (text: string, rules: Partial<KeyBindingRules> = {}, jwk: unknown = holder.jwk) =>
  verifyKeyBinding(parseSdJwt(text), jwk, { ...expected, at, ...rules })

/** With the right hash, unless the payload has another. */
const bind = (payload: object, header: object = {}, key = holder.privateKey) =>
  `${sdJwt}${rawJwt(key, { alg: 'ES256', typ: 'kb+jwt', ...header }, { ...honest, sd_hash: digest(sdJwt), ...payload })}`

test('the key binding of another implementation is verified, for what was disclosed', async () => {
  const presented = await present(sdJwt, { a: true }, honest)
  await verify(presented)
  const [jwt, disclosure, binding] = presented.split('~')
  await expect(verify(`${jwt}~${binding}`)).rejects.toMatchObject({ check: 'key_binding' })
  await expect(verify(`${jwt}~${disclosure}~${disclosure}~${binding}`)).rejects.toMatchObject({ check: 'key_binding' })
})

test.each<[string, string, string]>([
  ['left out', sdJwt, 'key_binding'],
  ['that is not a JWT', `${sdJwt}kb`, 'key_binding'],
  ['over 16 Ki characters', bind({ pad: 'a'.repeat(13_000) }), 'key_binding'],
  ['of another type', bind({}, { typ: 'JWT' }), 'key_binding'],
  ['without an algorithm', bind({}, { alg: 'none' }), 'key_binding'],
  ['with another key', bind({}, { jwk: holder.jwk }, newKey().privateKey), 'key_binding'],
  ['that is old', bind({ iat: now - 301 }), 'key_binding'],
  ['from the future', bind({ iat: now + 61 }), 'key_binding'],
  ['without a time', bind({ iat: undefined }), 'key_binding'],
  ['with its time as a text', bind({ iat: String(now) }), 'key_binding'],
  ['for another hash', bind({ sd_hash: digest('other') }), 'key_binding'],
  ['without a hash', bind({ sd_hash: undefined }), 'key_binding'],
  ['for another verifier', bind({ aud: 'x509_hash:abd' }), 'audience'],
  ['for a list of verifiers', bind({ aud: [expected.audience] }), 'audience'],
  ['for no verifier', bind({ aud: undefined }), 'key_binding'],
  ['for another nonce', bind({ nonce: 'nonce-2' }), 'nonce'],
  ['for a nonce in a list', bind({ nonce: [expected.nonce] }), 'nonce'],
  [
    'for transaction data, where there were none',
    bind({ transaction_data_hashes: [digest('data')] }),
    'transaction_data',
  ],
  ['for an empty list of them', bind({ transaction_data_hashes: [] }), 'transaction_data'],
  ['for their algorithm alone', bind({ transaction_data_hashes_alg: 'sha-256' }), 'transaction_data'],
])('a key binding %s is rejected', async (_, text, check) => {
  await expect(verify(text)).rejects.toMatchObject({ name: 'SdJwtError', check })
})

test('a key binding counts for 300 seconds, and with clocks that differ by 60', async () => {
  await verify(bind({ iat: now - 300 }))
  await verify(bind({ iat: now + 60 }))
  await expect(verify(bind({}), {}, { ...holder.jwk, d: 'AA' })).rejects.toMatchObject({ check: 'key_binding' })
  await expect(verify(bind({}), {}, null)).rejects.toMatchObject({ check: 'key_binding' })
})

const hashes = [digest('first'), digest('second')]
test.each<[string, object, string[] | undefined]>([
  ['in their order', { transaction_data_hashes: hashes }, ['first', 'second']],
  ['with sha-256', { transaction_data_hashes: hashes, transaction_data_hashes_alg: 'sha-256' }, ['first', 'second']],
  ['of one of two', { transaction_data_hashes: hashes.slice(1) }, ['second']],
  ['that are absent', {}, []],
  ['with sha-1', { transaction_data_hashes: hashes, transaction_data_hashes_alg: 'sha-1' }, undefined],
  ['in another order', { transaction_data_hashes: hashes.toReversed() }, undefined],
  ['with one twice', { transaction_data_hashes: [hashes[0], hashes[0]] }, undefined],
  ['and one more', { transaction_data_hashes: [...hashes, digest('third')] }, undefined],
  ['as a text', { transaction_data_hashes: hashes.join() }, undefined],
])('hashes of transaction data %s', async (_, payload, bound) => {
  const verified = verify(bind(payload), { transactionData: ['first', 'second'] })
  if (bound === undefined) await expect(verified).rejects.toMatchObject({ check: 'transaction_data' })
  else expect(await verified).toEqual(bound)
})
