/** Makes an exchange the same on every run: ids, times, keys, DIDs, secrets, ciphertexts and ports get names that stay. */
import type { Json } from '../stage/in-process-stage.ts'

const TIME = '2026-01-01T00:00:00'

/** Numbers equal values in the order of first appearance. */
class Names {
  readonly #known = new Map<string, number>()

  numberOf(value: string): number {
    const number = this.#known.get(value) ?? this.#known.size + 1
    this.#known.set(value, number)
    return number
  }
}

const base64urlOf = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

const decoded = (text: string): unknown => JSON.parse(Buffer.from(text, 'base64url').toString())

/** Scrubs JSON values; equal values get the same name in all calls of this function. */
export const scrubber = (): ((value: Json) => Json) => {
  const uuids = new Names()
  const keys = new Names()
  const dids = new Names()
  const hashes = new Names()
  const certificates = new Names()

  const scrubText = (text: string): string =>
    text
      .replace(/\?(oob|c_i)=([\w-]+)/g, (_, name, invitation) => `?${name}=${base64urlOf(scrub(decoded(invitation)))}`)
      .replace(/http:\/\/127\.0\.0\.1:\d+/g, 'http://127.0.0.1:3000')
      .replace(/localhost%3A\d+/g, 'localhost%3A3000')
      // Signatures before hashes: a hash's pattern may match within a signature.
      .replace(/\bz[1-9A-HJ-NP-Za-km-z]{80,90}\b/, `z${'A'.repeat(87)}`)
      .replace(/Qm[1-9A-HJ-NP-Za-km-z]{44}/g, (hash) => `QmExample${hashes.numberOf(hash)}`)
      .replace(/whsec_[\w+/=]+/g, `whsec_${'A'.repeat(43)}=`)
      .replace(/\beyJ[\w-]+\.[\w-]*\.[\w-]+/g, `${base64urlOf({ alg: 'EdDSA' })}..${'A'.repeat(86)}`)
      .replace(/did:peer:(\d)[\w.:-]+/g, (did, kind) => `did:peer:${kind}.Example${dids.numberOf(did)}`)
      .replace(/z6(Mk|LS)[1-9A-HJ-NP-Za-km-z]{44}/g, (key, kind) => `z6${kind}Example${keys.numberOf(key)}`)
      .replace(
        /^MII[\w+/]{200,}={0,2}$/,
        (der) => `MIIBExampleCertificate${String(certificates.numberOf(der)).padStart(2, '0')}`,
      )
      .replace(/^[1-9A-HJ-NP-Za-km-z]{43,44}$/, (key) => `ExampleKey${keys.numberOf(key)}`)
      .replace(
        /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g,
        (uuid) => `00000000-0000-4000-8000-${String(uuids.numberOf(uuid)).padStart(12, '0')}`,
      )
      .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z/g, (_, fraction) => `${TIME}${fraction ? '.000' : ''}Z`)
      .replace(/^\d{10,}$/, '1234567890')
      .replace(/^\d+\.\d+\.\d+$/, '1.0.0')

  /** An envelope of RFC 0019: its header says something, the rest is noise. */
  const scrubEnvelope = (envelope: Json): Json => {
    const header: Json = decoded(envelope.protected)
    const recipients = header.recipients.map(({ header: { kid } }: Json) => ({
      encrypted_key: 'A'.repeat(64),
      header: { kid: kid.replace(/.+/, 'ExampleKey') },
    }))
    const noise = { iv: 'A'.repeat(16), ciphertext: 'A'.repeat(64), tag: `${'A'.repeat(22)}==` }
    return { protected: base64urlOf({ ...header, recipients }), ...noise }
  }

  const scrub = (value: Json): Json => {
    if (typeof value === 'string') return scrubText(value)
    if (Array.isArray(value)) return value.map(scrub)
    if (typeof value !== 'object' || value === null) return value
    if (typeof value.protected === 'string' && typeof value.ciphertext === 'string') return scrubEnvelope(value)
    return Object.fromEntries(Object.entries<Json>(value).map(([name, member]) => scrubMember(name, member)))
  }

  const scrubMember = (name: string, member: Json): [string, Json] => {
    if (name === 'base64') return [name, base64urlOf(scrub(decoded(member)))]
    if (name === 'publicKeyBase58' || name === 'kmsKeyId') return [name, `ExampleKey${keys.numberOf(member)}`]
    if (name === 'privateKey') return [name, `MIGH${'A'.repeat(180)}`]
    if (name === 'serialNumber') return [name, '01']
    // Coordinates of an EC key.
    if (name === 'x' || name === 'y') return [name, 'A'.repeat(43)]
    // The wallet's engine gives a submission a random id of its own kind.
    if (name === 'presentation_submission') return [name, scrub({ ...member, id: 'ExampleSubmission' })]
    return [scrubText(name), scrub(member)]
  }

  return scrub
}
