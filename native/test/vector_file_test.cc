// Files of vectors: what comes back, and what is refused.
#include "core/files/vector_file.h"

#include <doctest.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>

#include "core/files/section_file.h"
#include "core/files/xxh64.h"
#include "core/search.h"
#include "oracle.h"
#include "temporary_file.h"

namespace skillspan::test {
namespace {

std::vector<std::vector<Scored>> found(const Snapshot& snapshot, const Matrix& queries) {
  std::vector<std::vector<Scored>> hits;
  REQUIRE(search(snapshot, queries, top_of_each(queries, 15), {}, &hits).ok());
  return hits;
}

Snapshot opened(const std::string& path) {
  VectorFile file;
  REQUIRE(open_vectors(path, true, &file).ok());
  std::vector<View> views;
  const size_t dim = file.dim;
  if (file.segment.rows() > 0)
    views.emplace_back(std::make_shared<const Segment>(std::move(file.segment)));
  return Snapshot(dim, std::move(views), file.exactness);
}

void check_same_answers(const Snapshot& a, const Snapshot& b, const Matrix& queries) {
  CHECK(a.size() == b.size());
  const auto left = found(a, queries), right = found(b, queries);
  for (size_t q = 0; q < left.size(); ++q) {
    REQUIRE(left[q].size() == right[q].size());
    for (size_t i = 0; i < left[q].size(); ++i) {
      CHECK(left[q][i].id == right[q][i].id);
      CHECK(left[q][i].score == right[q][i].score);
    }
  }
}

}  // namespace

TEST_CASE("xxh64: the values of its specification") {
  CHECK(xxh64("", 0) == 0xEF46DB3751D8E999);
  CHECK(xxh64("a", 1) == 0xD24EC4F1A98C6E5B);
  CHECK(xxh64("abc", 3) == 0x44BC2CF5AD770999);
  const char* text = "Nobody inspects the spammish repetition";
  CHECK(xxh64(text, std::strlen(text)) == 0xFBCEA83C8A378BF1);
}

TEST_CASE("vector file: comes back as it was, small or with codes, whole or in pieces") {
  for (auto [n, exactness] : {std::pair<size_t, Exactness>{0, Exactness::kProbable},
                              {1, Exactness::kCertain},
                              {90, Exactness::kProbable},
                              {20000, Exactness::kCertain},
                              {20000, Exactness::kProbable}}) {
    CAPTURE(n);
    const size_t dim = 60;
    const TemporaryFile file("-whole");
    std::vector<View> views;
    if (n > 0) {
      Segment segment = segment_of(clustered_rows(n, dim, 50, 0.3, n), Levels::kNone, 5, 2);
      REQUIRE(segment.encode(exactness, nullptr).ok());
      CHECK(segment.codes.empty() == (n < 1000));
      CHECK(segment.codes.dithered() == (n > 1000 && exactness == Exactness::kProbable));
      views.emplace_back(std::make_shared<const Segment>(std::move(segment)));
    }
    const Matrix queries = normalised(clustered_rows(20, dim, 50, 0.4, 1));
    const Snapshot whole(dim, views, exactness);
    REQUIRE(save_vectors(whole, "an encoder", file.path, nullptr).ok());
    check_same_answers(whole, opened(file.path), queries);
    if (n < 90) continue;
    views[0] = views[0].without({0, 7, uint32_t(n - 1)});
    views.emplace_back(std::make_shared<const Segment>(
        segment_of(clustered_rows(30, dim, 50, 0.3, 3), Levels::kNone, 1000000)));
    const Snapshot pieces(dim, views, exactness);
    REQUIRE(save_vectors(pieces, "", file.path, nullptr).ok());
    const Snapshot back = opened(file.path);
    CHECK(back.exactness() == exactness);
    check_same_answers(pieces, back, queries);
    const Quantized& codes = back.views()[0].segment().codes;
    CHECK(codes.dithered() == (!codes.empty() && exactness == Exactness::kProbable));
  }
}

TEST_CASE("vector file: an open one outlives its replacement") {
  const TemporaryFile file("-replaced");
  const Matrix queries = normalised(random_rows(3, 32, 1));
  std::vector<Segment> first, second;
  first.push_back(segment_of(random_rows(100, 32, 2), Levels::kNone));
  second.push_back(segment_of(random_rows(50, 32, 3), Levels::kNone));
  const Snapshot before = snapshot_of(std::move(first)), after = snapshot_of(std::move(second));
  REQUIRE(save_vectors(before, "", file.path, nullptr).ok());
  const Snapshot mapped = opened(file.path);
  REQUIRE(save_vectors(after, "", file.path, nullptr).ok());
  check_same_answers(mapped, before, queries);
  check_same_answers(opened(file.path), after, queries);
}

TEST_CASE("vector file: any damaged byte that is read is noticed, and none does harm") {
  const TemporaryFile file("-damaged");
  Segment coded = segment_of(random_rows(16500, 64, 4), Levels::kNone);
  REQUIRE(coded.encode(Exactness::kProbable, nullptr).ok());
  std::vector<View> coded_views{View(std::make_shared<const Segment>(std::move(coded)))};
  const Snapshot snapshot(64, std::move(coded_views), Exactness::kProbable);
  REQUIRE(save_vectors(snapshot, "e", file.path, nullptr).ok());
  const std::vector<uint8_t> intact = file.bytes();
  const Matrix queries = normalised(random_rows(20, 64, 5));
  Random random(6);
  const auto table_end = size_t(64 + 18 * 40);
  int harmless = 0;
  for (int trial = 0; trial < 160; ++trial) {
    std::vector<uint8_t> bytes = intact;
    const size_t at = trial < 100 ? size_t(random.between(0, int(table_end) - 1))
                                  : size_t(random.between(0, int(bytes.size()) - 1));
    CAPTURE(at);
    bytes[at] ^= uint8_t(1 << random.between(0, 7));
    file.write(bytes);
    VectorFile whole, quick;
    const Status checked = open_vectors(file.path, true, &whole);
    if (trial < 100) CHECK(checked.code == Code::kCorrupt);
    if (checked.ok()) ++harmless;  // in the zeros between two sections
    if (!open_vectors(file.path, false, &quick).ok()) continue;
    std::vector<View> views;
    views.emplace_back(std::make_shared<const Segment>(std::move(quick.segment)));
    found(Snapshot(64, std::move(views)), queries);
  }
  CHECK(harmless < 5);
  for (size_t length :
       {size_t{0}, size_t{1}, size_t{63}, size_t{64}, size_t{300}, intact.size() - 1}) {
    file.write({intact.begin(), intact.begin() + ptrdiff_t(length)});
    VectorFile cut;
    CHECK(open_vectors(file.path, true, &cut).code == Code::kCorrupt);
  }
}

// SKILLSPAN_FUZZ_CASES sets how many; 100,000 take a minute under the address sanitizer.
TEST_CASE("vector file: headers with some bytes changed are refused") {
  const char* const wanted = std::getenv("SKILLSPAN_FUZZ_CASES");
  const int cases = wanted ? std::atoi(wanted) : 500;
  const TemporaryFile file("-header");
  std::vector<Segment> one;
  one.push_back(segment_of(random_rows(3, 16, 1), Levels::kNone));
  REQUIRE(save_vectors(snapshot_of(std::move(one)), "e", file.path, nullptr).ok());
  const std::vector<uint8_t> intact = file.bytes();
  const Matrix query = normalised(random_rows(1, 16, 2));
  uint32_t sections = 0;
  std::memcpy(&sections, intact.data() + 40, sizeof sections);
  const size_t header = 64 + 40 * size_t(sections);
  REQUIRE(header < intact.size());
  Random random(9);
  int accepted = 0;
  for (int trial = 0; trial < cases; ++trial) {
    std::vector<uint8_t> bytes = intact;
    for (int change = random.between(1, 8); change > 0; --change)
      bytes[size_t(random.between(0, int(header) - 1))] = uint8_t(random.between(0, 255));
    // Every other one says that it is right.
    if (trial % 2) {
      std::vector<uint8_t> summed(bytes.begin(), bytes.begin() + 56);
      summed.insert(summed.end(), bytes.begin() + 64, bytes.begin() + ptrdiff_t(header));
      const uint64_t checksum = xxh64(summed.data(), summed.size());
      std::memcpy(bytes.data() + 56, &checksum, sizeof checksum);
    }
    file.write(bytes);
    VectorFile out;
    if (!open_vectors(file.path, true, &out).ok()) continue;
    ++accepted;
    if (out.segment.rows() == 0 || out.dim != 16) continue;
    std::vector<View> views;
    views.emplace_back(std::make_shared<const Segment>(std::move(out.segment)));
    found(Snapshot(16, std::move(views)), query);
  }
  CHECK(accepted < cases / 4);
}

TEST_CASE("vector file: a well-formed file of nonsense is refused") {
  const TemporaryFile file("-nonsense");
  const float numbers[16] = {1};
  const double norm[] = {1, 1};
  const uint32_t ids[] = {4, 4};
  const float surviving = 0;
  uint64_t exactness = 0;
  const auto attempt = [&](uint64_t n, uint64_t dim, std::vector<Section> others) {
    const uint64_t shape[] = {n, dim, exactness};
    std::vector<Section> sections{
        {"shape", shape, 3}, {"encoder", "", 0}, {"levels", &surviving, 1}};
    sections.insert(sections.end(), others.begin(), others.end());
    REQUIRE(write_sections(file.path, "vectors", sections).ok());
    VectorFile out;
    return open_vectors(file.path, true, &out).code;
  };
  const double bad_norm[] = {std::numeric_limits<double>::quiet_NaN()};
  CHECK(attempt(1, 16, {{"ids", ids, 1}, {"norms", norm, 1}, {"rows", numbers, 16}}) == Code::kOk);
  exactness = 2;
  CHECK(attempt(1, 16, {{"ids", ids, 1}, {"norms", norm, 1}, {"rows", numbers, 16}}) ==
        Code::kCorrupt);
  exactness = 1;
  CHECK(attempt(1, 16, {{"ids", ids, 1}, {"norms", norm, 1}, {"rows", numbers, 16}}) == Code::kOk);
  CHECK(attempt(1, 16, {{"ids", ids, 1}, {"norms", bad_norm, 1}, {"rows", numbers, 16}}) ==
        Code::kCorrupt);
  CHECK(attempt(2, 1, {{"ids", ids, 2}, {"norms", norm, 2}, {"rows", numbers, 16}}) ==
        Code::kCorrupt);
  CHECK(attempt(1, 17, {{"ids", ids, 1}, {"norms", norm, 1}, {"rows", numbers, 16}}) ==
        Code::kCorrupt);
  CHECK(attempt(1, 16, {{"ids", ids, 1}, {"norms", numbers, 1}, {"rows", numbers, 16}}) ==
        Code::kCorrupt);
  CHECK(attempt(uint64_t{1} << 40, 16, {}) == Code::kCorrupt);
  CHECK(attempt(1, uint64_t{1} << 60, {}) == Code::kCorrupt);
  CHECK(attempt(70000, 16, {{"ids", ids, 2}}) == Code::kCorrupt);
  REQUIRE(write_sections(file.path, "words", {}).ok());
  VectorFile out;
  CHECK(open_vectors(file.path, true, &out).code == Code::kCorrupt);
}

TEST_CASE("vector file: what the system refuses") {
  VectorFile out;
  const Status missing = open_vectors("/no/such/folder/file", false, &out);
  CHECK(missing.code == Code::kFile);
  CHECK(missing.row == ENOENT);
  CHECK(save_vectors(Snapshot(4, {}), "", "/no/such/folder/file", nullptr).code == Code::kFile);
  CHECK(open_vectors("/", false, &out).code == Code::kFile);
}

}  // namespace skillspan::test
