/** What the test of the bundles takes for a way to turn text into code, and what it lets pass. */
import { expect, test } from 'vitest'
import { textToCode } from '../support/text-to-code.ts'

const found = (text: string): string[] => textToCode(text).map(({ what }) => what)

test.each([
  ['eval(text)', ['eval']],
  ['(0, eval)(text)', ['eval']],
  ['globalThis.eval(text)', ['eval']],
  ['globalThis["eval"](text)', ['eval']],
  ['Function(text)', ['Function']],
  ['new Function("a", text)', ['Function']],
  ['const run = Function', ['Function']],
  ['Reflect.construct(Function, [text])', ['Function']],
  ['Function.call(null, text)', ['Function']],
  ['Function.prototype.constructor(text)', ['constructor']],
  ['const { Function: run } = globalThis', ['Function']],
  ['(({ constructor }) => constructor(text))(f)', ['constructor']],
  ['x.constructor(text)', ['constructor']],
  ['new x.constructor(text)', ['constructor']],
  ['x["constructor"](text)', ['constructor']],
  ['x[`constructor`](text)', ['constructor']],
  ['const run = (async () => {}).constructor', ['constructor']],
  ['(function* () {}).constructor(text)', ['constructor']],
  ['x?.constructor?.(text)', ['constructor']],
  ['x.constructor.constructor(text)', ['constructor', 'constructor']],
  ['x.constructor.call(null, text)', ['constructor']],
  ['x.constructor[name](text)', ['constructor']],
  ['Reflect.get(x, "constructor")(text)', ["get('constructor')"]],
  ['setTimeout("text", 1)', ['setTimeout(text)']],
  [`window.setInterval(\`a\${b}\`)`, ['setInterval(text)']],
  ['setImmediate("a" + b)', ['setImmediate(text)']],
  ['import vm from "node:vm"', ['import(node:vm)']],
  ['export * from "vm"', ['import(vm)']],
  ['export { Script } from "vm"', ['import(vm)']],
  ['require("vm")', ['require(vm)']],
  ['process.getBuiltinModule("node:vm").runInThisContext(text)', ['runInThisContext', 'getBuiltinModule(node:vm)']],
  ['process.getBuiltinModule(name)', ['getBuiltinModule(computed)']],
  ['require("node:child_process")', ['require(node:child_process)']],
  ['require("node:v8").setFlagsFromString("--allow")', ['setFlagsFromString', 'require(node:v8)']],
  ['import("node:module")', ['import(node:module)']],
  ['m._compile(text, path)', ['_compile']],
  ['module.constructor._load(path)', ['_load']],
  ['process.binding("contextify")', ['binding']],
  ['import("data:text/javascript,run()")', ['import(data:text/javascript)']],
  ['import name from "data:text/javascript,run()"', ['import(data:text/javascript)']],
  ['import(`data:text/javascript;base64,AA==`)', ['import(data:text/javascript;base64)']],
  ['import(name)', ['import(computed)']],
  ['import("./" + name)', ['import(computed)']],
  ['require(name)', ['require(computed)']],
  ['new Worker(text, { eval: true })', ['Worker']],
  ['new threads.Worker(text)', ['Worker']],
  ['WebAssembly.instantiate(bytes)', ['WebAssembly']],
  ['new WebAssembly.Module(bytes)', ['WebAssembly']],
])('%s is found', (text, what) => {
  expect(found(text).sort()).toEqual(what.sort())
})

test.each([
  'class A { constructor() {} }',
  'x instanceof Function',
  'typeof eval',
  'Function.prototype.toString',
  'x.constructor === Object',
  'x.constructor.name',
  'A.prototype.constructor = A',
  'this.constructor.parse(text)',
  'setTimeout(() => run("text"), 1)',
  'setTimeout(f, 1, "text")',
  'import("./chunk.mjs")',
  'require("node:fs")',
  'import { readFile } from "node:fs/promises"',
  'x.evaluate(text)',
  '"eval"',
  '({ eval: 1, Function: 2 })',
])('%s is not', (text) => {
  expect(found(text)).toEqual([])
})

test('a place is told by where it starts', () => {
  expect(textToCode('a()\neval(b)')).toEqual([{ what: 'eval', start: 4 }])
})
