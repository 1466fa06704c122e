#include "mapped_file.h"

#include <atomic>
#include <cerrno>

#if defined(_WIN32)
#define NOMINMAX
#define WIN32_LEAN_AND_MEAN
#include <io.h>
#include <process.h>
#include <windows.h>
#else
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace skillspan {
namespace {

Status refused(int reason) { return {Code::kFile, size_t(reason)}; }

// No other call of this process, and no other process, writes to the same place meanwhile.
std::string beside(const std::string& path, int process) {
  static std::atomic<unsigned> count{0};
  return path + ".tmp-" + std::to_string(process) + "-" + std::to_string(count++);
}

#if defined(_WIN32)

std::wstring wide(const std::string& utf8) {
  const int n = MultiByteToWideChar(CP_UTF8, 0, utf8.data(), int(utf8.size()), nullptr, 0);
  std::wstring text(size_t(n), L'\0');
  MultiByteToWideChar(CP_UTF8, 0, utf8.data(), int(utf8.size()), &text[0], n);
  return text;
}

int last_error() {
  switch (GetLastError()) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
      return ENOENT;
    case ERROR_ACCESS_DENIED:
    case ERROR_SHARING_VIOLATION:
      return EACCES;
    default:
      return EIO;
  }
}

int process_id() { return _getpid(); }
FILE* open_for_writing(const std::string& path) { return _wfopen(wide(path).c_str(), L"wb"); }
bool sync(FILE* file) { return std::fflush(file) == 0 && _commit(_fileno(file)) == 0; }
void remove_file(const std::string& path) { DeleteFileW(wide(path).c_str()); }
int rename_file(const std::string& from, const std::string& to) {
  const DWORD flags = MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH;
  return MoveFileExW(wide(from).c_str(), wide(to).c_str(), flags) ? 0 : last_error();
}

#else

int process_id() { return int(getpid()); }
FILE* open_for_writing(const std::string& path) { return std::fopen(path.c_str(), "wb"); }
bool sync(FILE* file) { return std::fflush(file) == 0 && fsync(fileno(file)) == 0; }
void remove_file(const std::string& path) { unlink(path.c_str()); }
int rename_file(const std::string& from, const std::string& to) {
  if (std::rename(from.c_str(), to.c_str()) != 0) return errno;
  // So that the new name, too, outlives a power cut. A folder that cannot be opened costs that.
  const size_t slash = to.find_last_of('/');
  const std::string folder = slash == std::string::npos ? "." : to.substr(0, slash + 1);
  if (const int descriptor = open(folder.c_str(), O_RDONLY | O_CLOEXEC); descriptor >= 0) {
    fsync(descriptor);
    close(descriptor);
  }
  return 0;
}

#endif

}  // namespace

Status MappedFile::open(const std::string& path, std::shared_ptr<const MappedFile>* out) {
  std::shared_ptr<MappedFile> file(new MappedFile);
#if defined(_WIN32)
  const HANDLE handle =
      CreateFileW(wide(path).c_str(), GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_DELETE, nullptr,
                  OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, nullptr);
  if (handle == INVALID_HANDLE_VALUE) return refused(last_error());
  LARGE_INTEGER size;
  bool mapped = GetFileSizeEx(handle, &size);
  if (mapped && size.QuadPart > 0) {
    const HANDLE mapping = CreateFileMappingW(handle, nullptr, PAGE_READONLY, 0, 0, nullptr);
    void* const data = mapping ? MapViewOfFile(mapping, FILE_MAP_READ, 0, 0, 0) : nullptr;
    mapped = data != nullptr;
    file->data_ = static_cast<const uint8_t*>(data);
    file->size_ = mapped ? size_t(size.QuadPart) : 0;
    if (mapping) CloseHandle(mapping);
  }
  const int reason = mapped ? 0 : last_error();
  CloseHandle(handle);
#else
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return refused(errno);
  struct stat facts;
  int reason = fstat(descriptor, &facts) == 0 ? 0 : errno;
  if (reason == 0 && S_ISDIR(facts.st_mode)) reason = EISDIR;
  if (reason == 0 && facts.st_size > 0) {
    void* const data = mmap(nullptr, size_t(facts.st_size), PROT_READ, MAP_SHARED, descriptor, 0);
    if (data == MAP_FAILED) {
      reason = errno;
    } else {
      file->data_ = static_cast<const uint8_t*>(data);
      file->size_ = size_t(facts.st_size);
    }
  }
  close(descriptor);
#endif
  if (reason != 0) return refused(reason);
  *out = std::move(file);
  return {};
}

MappedFile::~MappedFile() {
  if (!data_) return;
#if defined(_WIN32)
  UnmapViewOfFile(data_);
#else
  munmap(const_cast<uint8_t*>(data_), size_);
#endif
}

Status replace_file(const std::string& path, const std::function<bool(FILE* file)>& write) {
  const std::string temporary = beside(path, process_id());
  FILE* const file = open_for_writing(temporary);
  if (!file) return refused(errno);
  errno = 0;
  int reason = write(file) && sync(file) ? 0 : errno != 0 ? errno : EIO;
  if (std::fclose(file) != 0 && reason == 0) reason = errno;
  if (reason == 0) reason = rename_file(temporary, path);
  if (reason == 0) return {};
  remove_file(temporary);
  return refused(reason);
}

}  // namespace skillspan
