/** Values of AnonCreds: numbers and their bounds, encodings of attributes. */
export { encodedValue, isEncodingOf, isInt32 } from './encoded-value.ts'
export { between, Nonce, ofBits } from './numbers.ts'
