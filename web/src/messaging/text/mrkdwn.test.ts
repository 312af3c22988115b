import { describe, expect, it } from 'vitest';
import { parseInlines, parseMrkdwn, plainText } from './mrkdwn';

describe('mrkdwn', () => {
  it('reads styles at the edges of words alone', () => {
    expect(parseInlines('a *bold* b_c_d ~gone~ `x < y`')).toEqual([
      { type: 'text', text: 'a ', style: undefined },
      { type: 'text', text: 'bold', style: { bold: true } },
      { type: 'text', text: ' b_c_d ', style: undefined },
      { type: 'text', text: 'gone', style: { strike: true } },
      { type: 'text', text: ' ', style: undefined },
      { type: 'text', text: 'x < y', style: { code: true } },
    ]);
    expect(parseInlines('*_both_*')).toEqual([{ type: 'text', text: 'both', style: { bold: true, italic: true } }]);
    expect(parseInlines('2 * 3 * 4')).toEqual([{ type: 'text', text: '2 * 3 * 4', style: undefined }]);
  });

  it('reads control sequences and leaves what is none as text', () => {
    expect(
      parseInlines('<@U1> <#C1|general> <!here> <https://x.io/?a=1&amp;b=2|site> <javascript:alert(1)|x>'),
    ).toEqual([
      { type: 'user', id: 'U1', style: undefined },
      { type: 'text', text: ' ', style: undefined },
      { type: 'channel', id: 'C1', text: 'general', style: undefined },
      { type: 'text', text: ' ', style: undefined },
      { type: 'broadcast', range: 'here', style: undefined },
      { type: 'text', text: ' ', style: undefined },
      { type: 'link', url: 'https://x.io/?a=1&b=2', text: 'site', style: undefined },
      { type: 'text', text: ' <javascript:alert(1)|x>', style: undefined },
    ]);
    expect(parseInlines('<!date^1772442000^{date}|then>')[0]).toMatchObject({
      type: 'date',
      timestamp: 1772442000,
      fallback: 'then',
    });
  });

  it('reads emoji, with skin tones, and decodes entities once', () => {
    expect(parseInlines(':tada: :wave::skin-tone-3: &amp;lt; 10:30:45')).toEqual([
      { type: 'emoji', name: 'tada', style: undefined },
      { type: 'text', text: ' ', style: undefined },
      { type: 'emoji', name: 'wave::skin-tone-3', style: undefined },
      { type: 'text', text: ' &lt; 10', style: undefined },
      { type: 'emoji', name: '30', style: undefined },
      { type: 'text', text: '45', style: undefined },
    ]);
  });

  it('reads quotes and code blocks', () => {
    expect(parseMrkdwn('&gt; said\n&gt; twice\nplain\n```\n*code* &lt;b&gt;\n```\nend').map((b) => b.type)).toEqual([
      'quote',
      'paragraph',
      'preformatted',
      'paragraph',
    ]);
    expect(parseMrkdwn('```\n*code* &lt;b&gt;\n```')).toEqual([{ type: 'preformatted', text: '*code* <b>' }]);
    expect(parseMrkdwn('```never closed')).toEqual([
      { type: 'paragraph', inlines: [{ type: 'text', text: '```never closed', style: undefined }] },
    ]);
  });

  it('says what a reader sees', () => {
    expect(plainText('*Hi* <@U1>, see <#C1> :tada:', (kind, id) => `${kind} ${id}`)).toBe(
      'Hi @user U1, see #channel C1 :tada:',
    );
  });

  it('ends in reasonable time on hostile text', () => {
    const start = performance.now();
    for (const text of [
      '*'.repeat(20_000),
      '<'.repeat(20_000),
      `${'_a '.repeat(10_000)}`,
      '`'.repeat(20_001),
      ':a'.repeat(20_000),
    ]) {
      parseMrkdwn(text);
    }
    expect(performance.now() - start).toBeLessThan(3000);
  });
});
