/**
 * What the service is built with: versions that are exact, licences that allow its use, and a bill of materials that
 * names all of it.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'

const Versions = v.optional(v.record(v.string(), v.string()), {})
const Manifest = v.object({ dependencies: Versions, devDependencies: Versions, optionalDependencies: Versions })
const Lock = v.object({
  packages: v.record(
    v.string(),
    v.object({
      license: v.optional(v.string()),
      dev: v.optional(v.boolean(), false),
      link: v.optional(v.boolean(), false),
    }),
  ),
})

const read = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'))
const { dependencies, devDependencies, optionalDependencies } = v.parse(Manifest, read('package.json'))
const installed = Object.entries(v.parse(Lock, read('package-lock.json')).packages).filter(
  ([path, { link }]) => path.startsWith('node_modules/') && !link,
)

/** Of what is in a bundle or may be: attribution is all that they ask for. */
const ALLOWED = [
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'ISC',
  'MIT',
  'Unlicense',
  'Zlib',
]
/** Development dependencies, which are not distributed. */
const ALLOWED_TO_BUILD = [...ALLOWED, 'MPL-2.0', 'PSF-2.0', 'Python-2.0']

/** Packages whose manifests do not name the licence, and where it stands. */
const ELSEWHERE: Record<string, string> = {
  // LICENSE.md: the contexts are under the W3C Software and Document License, the code under BSD-3-Clause.
  'node_modules/credentials-context': 'BSD-3-Clause',
  // LICENSE
  'node_modules/ec-compression': 'MIT',
  // Left out of every bundle (infra/bundle/slim-packages.ts); its repository has it under Apache-2.0.
  'node_modules/@sphereon/kmp-mdoc-core': 'Apache-2.0',
}

/**
 * Of a command line that comes with a package of ours (js-yaml's, below didwebvh-ts): no module of a function imports
 * it.
 */
const NOT_DEPLOYED = ['node_modules/argparse']

/** Whether an SPDX expression can be met: one part of an OR, all parts of an AND. */
const isAllowed = (expression: string, allowed: string[]): boolean =>
  expression
    .replace(/[()]/g, '')
    .split(' OR ')
    .some((part) => part.split(' AND ').every((licence) => allowed.includes(licence)))

test.each(Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies }))(
  '%s has an exact version',
  (_, version) => {
    expect(version).toMatch(/^(npm:[\w@/-]+@)?\d+\.\d+\.\d+$|^file:(infra|test)\/packages\//)
  },
)

describe('licences', () => {
  const licenceOf = (path: string, license: string | undefined) => ELSEWHERE[path] ?? license ?? 'none'

  test('what is deployed may be passed on with attribution', () => {
    const refused = installed.filter(
      ([path, { license, dev }]) =>
        !dev && !NOT_DEPLOYED.includes(path) && !isAllowed(licenceOf(path, license), ALLOWED),
    )
    expect(refused).toEqual([])
  })

  test('what builds and tests may be used', () => {
    const refused = installed.filter(([path, { license }]) => !isAllowed(licenceOf(path, license), ALLOWED_TO_BUILD))
    expect(refused).toEqual([])
  })

  test('an expression with OR needs one of its parts, one with AND all of them', () => {
    expect(isAllowed('(MIT OR GPL-3.0-or-later)', ['MIT'])).toBe(true)
    expect(isAllowed('(MIT AND GPL-3.0-or-later)', ['MIT'])).toBe(false)
  })
})

/**
 * https://docs.npmjs.com/cli/v11/commands/npm-sbom. Not left out: npm 11 then also leaves out what is needed for both,
 * such as the SDK's SQS client.
 */
const ONLY_TO_BUILD = { name: 'cdx:npm:package:development', value: 'true' }

test('the bill of materials is CycloneDX, and names each dependency with its version', () => {
  const Bill = v.object({
    bomFormat: v.literal('CycloneDX'),
    components: v.array(
      v.object({ purl: v.string(), properties: v.array(v.object({ name: v.string(), value: v.string() })) }),
    ),
  })
  const { components } = v.parse(
    Bill,
    JSON.parse(execFileSync('npm', ['run', '--silent', 'sbom'], { encoding: 'utf8' })),
  )
  const named = new Map(components.map(({ purl, properties }) => [decodeURIComponent(purl), properties]))
  for (const [name, version] of Object.entries(dependencies))
    if (!version.startsWith('file:')) expect(named.keys()).toContain(`pkg:npm/${name}@${version}`)
  expect(named.get(`pkg:npm/vitest@${devDependencies.vitest}`)).toContainEqual(ONLY_TO_BUILD)
})
