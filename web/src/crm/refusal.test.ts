import { expect, test } from 'vitest';
import { ApiError } from '../api/http';
import { refusalOf } from './refusal';

const refused = (message: string): ApiError => new ApiError(400, 'VALIDATION_ERROR', message, 'r1', 0);

test('what is wrong with properties is said without JSON, by their names', () => {
  const list = [
    { isValid: false, message: 'abc was not a valid number.', error: 'INVALID_LONG', name: 'amount', portalId: 1 },
    { isValid: false, message: 'There is no such stage.', error: 'INVALID_OPTION', name: 'dealstage', portalId: 1 },
  ];
  expect(refusalOf(refused(`Property values were not valid: ${JSON.stringify(list)}`))).toEqual({
    text: 'amount: abc was not a valid number. dealstage: There is no such stage.',
    fields: { amount: 'abc was not a valid number.', dealstage: 'There is no such stage.' },
  });
});

test('another refusal, and one whose list is cut, are said as they are', () => {
  for (const message of [
    'Contact already exists. Existing ID: 7',
    'Property values were not valid: [{"na',
    'Property values were not valid: []',
  ]) {
    expect(refusalOf(refused(message))).toEqual({ text: message, fields: {} });
  }
  expect(refusalOf(new Error('The server does not answer.')).text).toBe('The server does not answer.');
});
