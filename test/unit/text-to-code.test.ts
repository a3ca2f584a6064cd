/** What the test of the bundles takes for a way to turn text into code, and what it lets pass. */
import { globSync, readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { expect, test } from 'vitest'
import { textToCode } from '../support/source/text-to-code.ts'

const found = (text: string): string[] => textToCode(text).map(({ what }) => what)

test.each([
  ['eval(text)', ['eval']],
  ['(0, eval)(text)', ['eval']],
  ['globalThis["eval"](text)', ['eval']],
  ['new Function("a", text)', ['Function']],
  ['const { Function: run } = globalThis', ['Function']],
  ['(({ constructor }) => constructor(text))(f)', ['constructor']],
  ['x["constructor"](text)', ['constructor']],
  ['Reflect.get(x, "constructor")(text)', ["get('constructor')"]],
  ['setTimeout("text", 1)', ['setTimeout(text)']],
  ['export * from "vm"', ['import(vm)']],
  ['process.getBuiltinModule(name)', ['getBuiltinModule(computed)']],
  ['require("node:child_process")', ['require(node:child_process)']],
  ['m._compile(text, path)', ['_compile']],
  ['process.binding("contextify")', ['binding']],
  ['import("data:text/javascript,run()")', ['import(data:text/javascript)']],
  ['import(name)', ['import(computed)']],
  ['require("./native.node")', ['require(./native.node)']],
  ['require(name)', ['require(computed)']],
  ['new Worker(text, { eval: true })', ['Worker']],
  ['WebAssembly.instantiate(bytes)', ['WebAssembly']],
])('%s is found', (text, what) => {
  expect(found(text).sort()).toEqual(what.sort())
})

test.each([
  'class A { constructor() {} }',
  'x instanceof Function',
  'typeof eval',
  'x.constructor === Object',
  'setTimeout(() => run("text"), 1)',
  'import("./chunk.mjs")',
  'require("node:fs")',
  '"eval"',
])('%s is not', (text) => {
  expect(found(text)).toEqual([])
})

test('a place is named by its start', () => {
  expect(textToCode('a()\neval(b)')).toEqual([{ what: 'eval', start: 4 }])
})

test('our own sources hold nothing of it but how the native library is loaded', () => {
  const places = globSync('{functions,lib}/**/*.ts').flatMap((path) =>
    found(stripTypeScriptTypes(readFileSync(path, 'utf8'), { mode: 'transform' })).map((what) => `${path}: ${what}`),
  )
  expect(places).toEqual(['lib/agent/formats/anoncreds/library.ts: import(node:module)'])
})
