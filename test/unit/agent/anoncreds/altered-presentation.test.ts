/** A presentation of which anything at all is altered. */
import { expect, test } from 'vitest'
import { altered, issue, newLinkSecret, PUBLISHED, present, trusted } from '../../../support/anoncreds/bare-library.ts'
import { describeWithLibrary } from '../../../support/anoncreds/library.ts'
import { memoryVerifier } from '../../../support/anoncreds/memory-verifier.ts'
import type { Json } from '../../../support/stage/in-process-stage.ts'

const request = {
  name: 'p',
  version: '1.0',
  nonce: '1234567890',
  requested_attributes: { r0: { name: 'degree' }, r1: { names: ['First Name', 'zip'] }, r2: { name: 'nickname' } },
  requested_predicates: { p0: { name: 'age', p_type: '>=', p_value: 18 } },
  non_revoked: { from: 100, to: 100 },
}

const answer = (): Json => {
  const linkSecret = newLinkSecret()
  const nonRevocation = { issuer: trusted, index: 4, list: trusted.registry.list }
  const credential = issue(trusted, { linkSecret, index: 4 })
  const shown = { credential, attributes: { r0: true, r1: true }, predicates: ['p0'], nonRevocation }
  return present(request, linkSecret, [shown], { r2: 'ada' })
}

type Path = (string | number)[]

/** The ways to all texts and numbers; of the lists of bytes, to the first of each. */
const leaves = (value: unknown, path: Path = []): Path[] => {
  if (typeof value !== 'object' || value === null) return [path]
  const entries = Array.isArray(value) ? [...value.entries()] : Object.entries(value)
  const shown = path.at(-2) === 'c_list' ? entries.slice(0, 1) : entries
  return shown.flatMap(([name, member]) => leaves(member, [...path, name]))
}

/** Another number, or a text that ends in another digit. */
const another = (value: unknown): unknown =>
  typeof value === 'number' ? value + 1 : `${String(value).slice(0, -1)}${String(value).endsWith('1') ? '2' : '1'}`

const alterAt = (presentation: Json, path: Path): Json =>
  altered(presentation, (copy) => {
    const parent = path.slice(0, -1).reduce((within, name) => within[name], copy)
    const name = path.at(-1) ?? ''
    parent[name] = another(parent[name])
  })

describeWithLibrary('a presentation of AnonCreds', () => {
  test('is verified only as it was made', async () => {
    const presentation = answer()
    const { verdictOn } = memoryVerifier(PUBLISHED)
    expect(await verdictOn(request, presentation)).toBe('verified')
    const paths = leaves(presentation)
    const verified: Path[] = []
    for (const path of paths)
      if ((await verdictOn(request, alterAt(presentation, path))) === 'verified') verified.push(path)
    // What a holder attests itself is proved by nothing.
    expect(verified).toEqual([['requested_proof', 'self_attested_attrs', 'r2']])
    expect(paths.length).toBeGreaterThan(70)
  })
})
