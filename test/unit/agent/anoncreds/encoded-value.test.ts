/** Values of credentials as the numbers that are signed: the test vectors of Aries RFC 0036, "Encoding Claims". */
import { expect, test } from 'vitest'
import { encodedValue, isEncodingOf } from '../../../../lib/agent/formats/anoncreds/values/encoded-value.ts'

test.each([
  ['101 Wilson Lane', '68086943237164982734333428280784300550565381723532936263016368251445461241953'],
  ['87121', '87121'],
  ['-5', '-5'],
  ['007', '7'],
  ['2147483647', '2147483647'],
  ['2147483648', '26221484005389514539852548961319751347124425277437769688639924217837557266135'],
  ['-2147483648', '-2147483648'],
  ['-2147483649', '68956915425095939579909400566452872085353864667122112803508671228696852865689'],
  ['0.0', '62838607218564353630028473473939957328943626306458686867332534889076311281879'],
  ['0', '0'],
  ['SLC', '101327353979588246869873249766058188995681113722618593621043638294296500696424'],
  ['', '102987336249554097029535212322581322789799900648198034993379397001115665086549'],
])('%j is %s', (raw, encoded) => {
  expect(encodedValue(raw)).toBe(encoded)
})

test.each([
  ['+352621123', '352621123', true],
  ['+7', encodedValue('+7'), true],
  ['+007', '7', true],
  ['+7', '8', false],
  ['+-7', '-7', false],
  ['++7', encodedValue('+7'), false],
  ['+2147483648', encodedValue('2147483648'), false],
  ['+7a', encodedValue('7a'), false],
  ['7', encodedValue('+7'), false],
])('%j, which the library and ACA-Py or Credo have encoded as %s: %s', (raw, encoded, isEncoding) => {
  expect(isEncodingOf(raw, encoded)).toBe(isEncoding)
})
