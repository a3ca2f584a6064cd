/** Steps of exchanges, and when they are taken without an API call. */
export { autoAccept, canRespond, isAutoAccepted, OfferAcceptance, proposesAllOf } from './auto-accept.ts'
export { type Formats, type Turn, takeStep } from './steps.ts'
