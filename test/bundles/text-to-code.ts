/** Every place in the bundles where text could become code, and why it may be there. */
import { basename } from 'node:path'
import { expect, test } from 'vitest'
import type { Unpacked, UnpackedFunction } from '../support/bench/bundles.ts'
import { sourcesOf } from '../support/bench/places.ts'
import { textToCode } from '../support/source/text-to-code.ts'

/** By reason: `<module>: <what>`. Node's flag stops `Function` and `eval`, whatever the reason. */
const KNOWN: Record<string, string[]> = {
  'loads chunks of the bundle, by names that stand there': [
    'infra/bundle/bundle.ts: createRequire',
    'infra/bundle/bundle.ts: getBuiltinModule(node:module)',
  ],
  'binds AnonCreds’ native library, in the functions that need it': ['koffi:koffi: atOnce(./koffi.node)'],
  'looks for the global object with constant texts, and does without': [
    'reflect-metadata/Reflect.js: Function',
    'reflect-metadata/Reflect.js: eval',
  ],
  'has a method of that name, which asks whether a pattern needs a part of its text': ['re2js/build/index.js: eval'],
  'compiles validators of Credo’s own schemas; where it may not, it interprets them': [
    'zod/v4/core/compile.js: Function',
    'zod/v4/core/doc.js: Function',
    'zod/v4/core/util.js: Function',
  ],
  'makes another object of the class of one of its own': [
    '@noble/hashes/blake2.js: constructor',
    '@noble/hashes/legacy.js: constructor',
    '@noble/hashes/sha2.js: constructor',
    '@noble/hashes/src/_md.ts: constructor',
    'dcql/src/util/deep-merge.ts: constructor',
    'didwebvh-ts/dist/esm/index.js: constructor',
    'mnemonist/utils/typed-arrays.js: constructor',
  ],
  'hands on the class of one of its own objects, or of the object that a decorator is in': [
    '@credo-ts/core/src/modules/kms/jwk/PublicJwk.ts: constructor',
    '@credo-ts/core/src/modules/mdoc/repository/MdocRecord.ts: constructor',
    '@credo-ts/core/src/modules/sd-jwt-vc/repository/SdJwtVcRecord.ts: constructor',
    '@credo-ts/core/src/modules/vc/repository/W3cCredentialRecord.ts: constructor',
    '@credo-ts/core/src/modules/vc/repository/W3cV2CredentialRecord.ts: constructor',
    '@smithy/core/dist-es/submodules/client/smithy-client/client.js: constructor',
    'jose/dist/webapi/util/errors.js: constructor',
    'make-error/index.js: constructor',
    // class-validator and class-transformer: their source maps do not name them.
    'src/decorator/common/IsOptional.ts: constructor',
    'src/decorator/common/ValidateBy.ts: constructor',
    'src/decorator/common/ValidateIf.ts: constructor',
    'src/decorator/common/ValidateNested.ts: constructor',
    'src/decorators/exclude.decorator.ts: constructor',
    'src/decorators/expose.decorator.ts: constructor',
    'src/decorators/transform.decorator.ts: constructor',
    'src/decorators/type.decorator.ts: constructor',
  ],
  'compares the class of an object, names it, or looks something up by it': [
    '@credo-ts/core/src/utils/MessageValidator.ts: constructor',
    '@peculiar/asn1-schema/build/es2015/decorators.js: constructor',
    '@peculiar/asn1-schema/build/es2015/helper.js: constructor',
    '@peculiar/asn1-schema/build/es2015/serializer.js: constructor',
    '@peculiar/json-schema/build/index.es.js: constructor',
    '@smithy/core/dist-es/submodules/client/smithy-client/exceptions.js: constructor',
    "asn1js/build/index.es.js: getOwnPropertyDescriptor('constructor')",
    'reflect-metadata/Reflect.js: constructor',
    'src/MetadataStorage.ts: constructor',
    'src/TransformOperationExecutor.ts: constructor',
    'src/validation/ValidationExecutor.ts: constructor',
    'validator/lib/isURL.js: constructor',
    'zod/v4/core/schemas.js: constructor',
    'zod/v4/core/util.js: constructor',
  ],
  'says which class an object is of': [
    "@digitalcredentials/jsonld/lib/JsonLdProcessor.js: defineProperty('constructor')",
    "mnemonist/lru-cache.js: defineProperty('constructor')",
  ],
}

/** Each bundle has other parts of it; test/unit/text-to-code.test.ts reads all of it. */
const isOwn = (path: string): boolean => /^(functions|lib)\//.test(path)

/** A file of a bundle, with how much of each package's module is in it. */
const filesOf = (bundle: UnpackedFunction) =>
  Object.entries(bundle.files).map(([file, bytes]) => {
    const [, output] = Object.entries(bundle.metafile.outputs).find(([path]) => basename(path) === file) ?? []
    const parts = Object.entries(output?.inputs ?? {}).filter(([path]) => !isOwn(path))
    return { bundle, file, bytes, parts: parts.map(([path, { bytesInOutput }]) => [path, bytesInOutput] as const) }
  })

/** All package code of the functions; a file that has no more of any module than those before it is skipped. */
const placesIn = ({ functions }: Unpacked): Set<string> => {
  const places = new Set<string>()
  const seen = new Map<string, number>()
  const files = [...functions.values()].flatMap(filesOf).sort((one, other) => other.bytes.length - one.bytes.length)
  for (const { bundle, file, bytes, parts } of files) {
    const more = parts.filter(([path, inOutput]) => inOutput > (seen.get(path) ?? 0))
    if (more.length === 0) continue
    for (const [path, inOutput] of more) seen.set(path, inOutput)
    const text = Buffer.from(bytes).toString()
    const sourceAt = sourcesOf(bundle, file, text)
    for (const { what, start } of textToCode(text)) places.add(`${sourceAt(start)}: ${what}`)
  }
  return places
}

export const testTextToCode = (unpacked: () => Unpacked): void => {
  test('nothing in the bundles can turn text into code but the known places, each with its reason', () => {
    expect([...placesIn(unpacked())].sort()).toEqual(Object.values(KNOWN).flat().sort())
  })
}
