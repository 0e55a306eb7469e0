// Bytes and strings: scanning, copying, counting, encoding, with the C library where it helps.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cctype>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

// expect: inout([n]s)
void upper(std::size_t n, char *s) {
  for (std::size_t i = 0; i < n; ++i)
    s[i] = (char)std::toupper((unsigned char)s[i]);
}

// Where the string ends is in the string.
// expect: inout(s[?])
void lowerString(char *s) {
  for (; *s; ++s)
    *s = (char)std::tolower((unsigned char)*s);
}

// expect: in([n]s) out([1]count)
void countLines(std::size_t n, const char *s, std::size_t *count) {
  std::size_t k = 0;
  for (std::size_t i = 0; i < n; ++i)
    k += s[i] == '\n';
  *count = k;
}

// expect: in(from[?]) inout(to[?])
void copyString(const char *from, char *to) {
  while ((*to++ = *from++))
    ;
}

// expect: in(s[?]) out([1]n)
void lengthOf(const char *s, int *n) { *n = (int)std::strlen(s); }

// expect: in([n]bytes) out([2*n]hex)
void toHex(int n, const std::uint8_t *bytes, char *hex) {
  static const char digits[] = "0123456789abcdef";
  for (int i = 0; i < n; ++i) {
    hex[2 * i] = digits[bytes[i] >> 4];
    hex[2 * i + 1] = digits[bytes[i] & 15];
  }
}
// What a function reads of a constant table of its own is no data of the caller's.

// expect: in([n]data) out([1]crc)
void checksum(int n, const std::uint8_t *data, std::uint32_t *crc) {
  std::uint32_t c = ~0u;
  for (int i = 0; i < n; ++i) {
    c ^= data[i];
    for (int k = 0; k < 8; ++k)
      c = (c >> 1) ^ (0xEDB88320u & -(c & 1));
  }
  *crc = ~c;
}

// expect: in([n]from) out([n]to)
void copyBytes(std::size_t n, const char *from, char *to) { std::memcpy(to, from, n); }

// expect: out([n]x)
void clear(std::size_t n, double *x) { std::memset(x, 0, n * sizeof(double)); }

// expect: inout([n+1]x)
void shiftDown(std::size_t n, float *x) { std::memmove(x, x + 1, n * sizeof(float)); }

// expect: in([n]a) in([n]b) out([1]same)
void compare(std::size_t n, const void *a, const void *b, bool *same) { *same = std::memcmp(a, b, n) == 0; }

// Cleared as a whole, then added to.
// expect: in([m][n]a) out([n]sums)
void columnSums(int m, int n, const double *a, double *sums) {
  std::memset(sums, 0, sizeof(*sums) * n);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j)
      sums[j] += a[i * n + j];
}

// Row by row.
// expect: in([rows*cols]from) out(to<0; rows x ld, cols>)
void copyRows(int rows, int cols, const float *from, float *to, int ld) {
  for (int i = 0; i < rows; ++i)
    std::memcpy(to + i * ld, from + i * cols, cols * sizeof(float));
}

static int byValue(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// expect: inout([n]x)
void sortDoubles(std::size_t n, double *x) { std::qsort(x, n, sizeof(double), byValue); }

// Room for at most size characters, how many is not known.
// expect: in(name[?]) inout(buffer[?])
void format(char *buffer, std::size_t size, const char *name, int id) {
  std::snprintf(buffer, size, "%s-%d", name, id);
}

// expect: in(text[?]) inout([n]out)
void parseNumbers(const char *text, int n, double *out) {
  char *end;
  for (int i = 0; i < n; ++i) {
    const double v = std::strtod(text, &end);
    if (end == text)
      break;
    out[i] = v;
    text = end;
  }
}

// expect: inout([n]s)
void rot13(int n, char *s) {
  for (int i = 0; i < n; ++i) {
    if (s[i] >= 'a' && s[i] <= 'z')
      s[i] = 'a' + (s[i] - 'a' + 13) % 26;
    else if (s[i] >= 'A' && s[i] <= 'Z')
      s[i] = 'A' + (s[i] - 'A' + 13) % 26;
  }
}

// expect: in([n]text) in(pattern[?]) inout(hits[?]) out([1]found)
void findAll(int n, const char *text, const char *pattern, int *hits, int *found) {
  int k = 0;
  for (int i = 0; i < n; ++i) {
    int j = 0;
    while (pattern[j] && i + j < n && text[i + j] == pattern[j])
      ++j;
    if (!pattern[j])
      hits[k++] = i;
  }
  *found = k;
}
