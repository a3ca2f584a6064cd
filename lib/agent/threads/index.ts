/** Exchanges by their thread (Aries RFC 0008). */
export {
  abandonExchange,
  EXCHANGE_PROTOCOLS,
  type Exchange,
  type ExchangeProtocol,
  findExchanges,
  isExchangeProtocol,
  isFinished,
  isProblemReport,
  recipientRole,
  updateExchange,
} from './exchanges.ts'
