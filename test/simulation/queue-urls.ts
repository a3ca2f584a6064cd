/** Names the queues in the environment. To be imported before anything that asks for the settings. */
export const QUEUE_URLS = {
  WAKE_UP_QUEUE_URL: 'http://sqs.test/fast.fifo',
  SLOW_WAKE_UP_QUEUE_URL: 'http://sqs.test/slow.fifo',
  TIMER_QUEUE_URL: 'http://sqs.test/timer',
  WAKE_UP_DEAD_LETTER_QUEUE_URL: 'http://sqs.test/dead.fifo',
  TIMER_DEAD_LETTER_QUEUE_URL: 'http://sqs.test/dead-timer',
}

Object.assign(process.env, QUEUE_URLS)
