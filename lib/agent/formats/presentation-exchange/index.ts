/** DIF Presentation Exchange as a format of present-proof. */
export { PresentationExchangeFormat } from './proof-format.ts'
